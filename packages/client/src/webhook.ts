import type { WebhookEvent } from "./types.ts";

/** A delivery that is not to be believed, or a call that holds none. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";

  /** `invalid_body`: neither text nor bytes, or signed and not the JSON of an event. */
  constructor(
    readonly code: "missing_header" | "invalid_signature" | "timestamp" | "invalid_body",
    message: string,
  ) {
    super(message);
  }
}

/** A body as it came, in any form in which a server or a queue hands it on. Node's Buffer is a view. */
export type WebhookBody = string | ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery (Standard Webhooks), and reads its event.
 *
 * @param body as it came: parsing and writing it again changes it.
 * @param secrets `whsec_...`; several while a secret is being replaced.
 * @param options.toleranceSeconds how far the delivery's time may be from now.
 * @throws {WebhookError} when the signature is of no such secret, the delivery is old, or the body is no body.
 */
export async function verifyWebhook(
  body: WebhookBody,
  headers: Headers | HeaderRecord,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const bytes = readBody(body);
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ").flatMap((signature) => {
    const [version, value] = signature.split(",", 2);
    return version === "v1" && value !== undefined ? [decodeBase64(value)] : [];
  });
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  // A tolerance that is no number lets nothing pass.
  if (!/^\d+$/.test(timestamp) || !(age <= toleranceSeconds)) {
    throw new WebhookError("timestamp", "The delivery is too old, or from the future.");
  }
  const signed = joinBytes(`${id}.${timestamp}.`, bytes);
  for (const secret of readSecrets(secrets)) {
    const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["verify"]);
    for (const signature of signatures) {
      // `verify` compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return readEvent(bytes);
    }
  }
  throw new WebhookError("invalid_signature", "No signature of the delivery is of these secrets.");
}

/** The bytes of a body, copied: they may lie in memory that others write. */
function readBody(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  try {
    if (ArrayBuffer.isView(body)) {
      return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
    }
    if (isBuffer(body)) return new Uint8Array(new Uint8Array(body));
  } catch {
    // A buffer that was handed to another thread has no bytes left.
  }
  throw new WebhookError(
    "invalid_body",
    "The body must be given as it came, as text or bytes: not as what a JSON parser made of it.",
  );
}

/** By its name: a buffer of another realm (a test runner's, a worker's) is no `instanceof ArrayBuffer`. */
function isBuffer(value: unknown): value is ArrayBuffer | SharedArrayBuffer {
  return /^\[object (?:Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
}

function readEvent(bytes: Uint8Array<ArrayBuffer>): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Refused below.
  }
  if (typeof event === "object" && event !== null) return event as WebhookEvent;
  throw new WebhookError(
    "invalid_body",
    "The delivery is signed, but is not the JSON of an event.",
  );
}

function readHeader(headers: Headers | HeaderRecord | null | undefined, name: string): string {
  const found: unknown = typeof headers?.get === "function"
    // Also of another implementation than the global one, as HTTP libraries have.
    ? headers.get(name)
    : Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = Array.isArray(found) ? found.join(" ") : String(found ?? "");
  if (value === "") throw new WebhookError("missing_header", `The header ${name} is missing.`);
  return value;
}

const hmac = { name: "HMAC", hash: "SHA-256" };

/** Their keys. What is no base64 has none: an empty key would let anybody sign. */
function readSecrets(secrets: unknown): Uint8Array<ArrayBuffer>[] {
  return (Array.isArray(secrets) ? secrets : [secrets])
    .map((secret) => decodeBase64(String(secret ?? "").replace(/^whsec_/, "")))
    .filter((key) => key.length > 0);
}

/** Nothing of what is no base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function joinBytes(head: string, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = new TextEncoder().encode(head);
  const joined = new Uint8Array(first.length + rest.length);
  joined.set(first);
  joined.set(rest, first.length);
  return joined;
}
