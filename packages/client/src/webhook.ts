import type { WebhookEvent } from "./types.ts";

/** A delivery that is not to be believed. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";

  constructor(
    readonly code: "missing_header" | "invalid_signature" | "timestamp",
    message: string,
  ) {
    super(message);
  }
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery (Standard Webhooks), and reads its event.
 *
 * @param body as it came: parsing and writing it again changes it.
 * @param secrets `whsec_...`; several while a secret is being replaced.
 * @param options.toleranceSeconds how far the delivery's time may be from now.
 * @throws {WebhookError} when the signature is of no such secret, or the delivery is old.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | HeaderRecord,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ").flatMap((signature) => {
    const [version, value] = signature.split(",", 2);
    return version === "v1" && value !== undefined ? [decodeBase64(value)] : [];
  });
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError("timestamp", "The delivery is too old, or from the future.");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = joinBytes(`${id}.${timestamp}.`, body);
  for (const bytes of (typeof secrets === "string" ? [secrets] : secrets).map(readSecret)) {
    // What is no base64 has no key: an empty one would let anybody sign.
    if (bytes.length === 0) continue;
    const key = await crypto.subtle.importKey("raw", bytes, hmac, false, ["verify"]);
    for (const signature of signatures) {
      // `verify` compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return JSON.parse(text);
    }
  }
  throw new WebhookError("invalid_signature", "No signature of the delivery is of these secrets.");
}

function readHeader(headers: Headers | HeaderRecord, name: string): string {
  const found = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = typeof found === "object" ? found?.join(" ") : found;
  if (value === undefined || value === "") {
    throw new WebhookError("missing_header", `The header ${name} is missing.`);
  }
  return value;
}

const hmac = { name: "HMAC", hash: "SHA-256" };

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(secret.replace(/^whsec_/, ""));
}

/** Nothing of what is no base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function joinBytes(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [first, rest] = [
    encoder.encode(head),
    typeof body === "string" ? encoder.encode(body) : body,
  ];
  const joined = new Uint8Array(first.length + rest.length);
  joined.set(first);
  joined.set(rest, first.length);
  return joined;
}
