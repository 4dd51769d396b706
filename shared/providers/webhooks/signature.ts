/**
 * Signatures of webhooks: an HMAC with the instance's key over the received bytes, before any parsing, as
 * hexadecimal in a header.
 */

/** How a provider writes its signature. */
export interface SignatureForm {
  readonly hash: "SHA-256" | "SHA-512";
  /** What stands before the hexadecimal digits. */
  readonly prefix: string;
}

const hexLengths = { "SHA-256": 64, "SHA-512": 128 } as const;

/** Whether `header` has the form of a signature. */
export function isSignature(form: SignatureForm, header: string | undefined): boolean {
  return readDigits(form, header) !== undefined;
}

/**
 * Whether `header` is the signature of exactly these bytes, compared in constant time. False for a
 * missing or malformed header, and for an empty secret, with which anyone could sign.
 */
export async function verifySignature(
  form: SignatureForm,
  rawBody: BufferSource,
  header: string | undefined,
  secret: string,
): Promise<boolean> {
  const hex = readDigits(form, header);
  if (hex === undefined || secret === "") return false;
  const algorithm = { name: "HMAC", hash: form.hash };
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, decodeHex(hex), rawBody);
}

/** The hexadecimal digits of a signature in any case; undefined for another text. */
function readDigits({ hash, prefix }: SignatureForm, header = ""): string | undefined {
  if (header.slice(0, prefix.length).toLowerCase() !== prefix) return undefined;
  const digits = header.slice(prefix.length);
  return digits.length === hexLengths[hash] && /^[0-9a-f]+$/i.test(digits) ? digits : undefined;
}

function decodeHex(hex: string): BufferSource {
  const pairs = hex.match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}
