/**
 * Verifies calls as a receiver does (Standard Webhooks 1.0.0). Deliberately independent of the code
 * that signs them.
 */

/** What a receiver finds out about a call. `no_secret`: it was given no secret yet. */
export const signatureVerdicts = ["verified", "wrong", "too_old", "no_secret"] as const;
export type SignatureVerdict = (typeof signatureVerdicts)[number];

/** A call as it arrived: the three headers (empty where one is missing) and the body's text. */
export interface SignedCall {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

const prefix = "whsec_";
/** How far the clocks of both sides may be apart, and how long a call may be on its way. */
const toleranceSeconds = 300;

/** Whether one of the signatures was made with one of the secrets, and lately. */
export async function verifyCall(
  call: SignedCall,
  secrets: readonly string[],
  now: Date,
): Promise<SignatureVerdict> {
  if (secrets.length === 0) return "no_secret";
  const signed = new TextEncoder().encode(`${call.id}.${call.timestamp}.${call.body}`);
  const given = call.signature.split(" ").filter((one) => one.startsWith("v1,"));
  const checks = secrets.flatMap((secret) =>
    given.map((one) => isSignature(one.slice("v1,".length), signed, secret))
  );
  if (!(await Promise.all(checks)).includes(true)) return "wrong";
  const ageSeconds = Math.abs(now.getTime() / 1_000 - Number(call.timestamp));
  return ageSeconds < toleranceSeconds ? "verified" : "too_old";
}

async function isSignature(
  base64: string,
  signed: Uint8Array<ArrayBuffer>,
  secret: string,
): Promise<boolean> {
  const digest = decodeBase64(base64);
  const bytes = decodeBase64(secret.slice(prefix.length));
  if (digest === null || bytes === null) return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, digest, signed);
}

/** @returns null for what is not base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return null;
  }
}
