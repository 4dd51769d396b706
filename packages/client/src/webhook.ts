import { parseJson } from "./request.ts";
import type { WebhookEvent } from "./types.ts";

/** `invalid_body`: neither text nor bytes, or signed and not the JSON of an event. */
type WebhookFault = "missing_header" | "invalid_signature" | "timestamp" | "invalid_body";

/** A delivery that is not to be believed, or a call that holds none. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";

  constructor(readonly code: WebhookFault, message: string) {
    super(message);
  }
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery (Standard Webhooks), and reads its event.
 *
 * @param body as it came, as text or bytes of any kind: parsing and writing it again changes it.
 * @param secrets `whsec_...`; several while a secret is being replaced.
 * @param options.toleranceSeconds how far the delivery's time may be from now.
 * @throws {WebhookError} when the signature is of no such secret, the delivery is old, or the body is no body.
 */
export async function verifyWebhook(
  body: string | ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
  headers: Headers | HeaderRecord,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const bytes = readBody(body);
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => decodeBase64(signature.slice(3)));
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  // A tolerance that is no number lets nothing pass.
  if (!/^\d+$/.test(timestamp) || !(age <= toleranceSeconds)) {
    throw new WebhookError("timestamp", "The delivery is too old, or from the future.");
  }
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer();
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
  const view = ArrayBuffer.isView(body) ? body : undefined;
  const buffer = (view?.buffer ?? body) as ArrayBuffer;
  // A buffer of another realm (a test runner's, a worker's) is no `instanceof ArrayBuffer`.
  const kind = Object.prototype.toString.call(buffer);
  // One that was handed to another thread is empty, and cannot be read.
  if (/^\[object (?:Shared)?ArrayBuffer\]$/.test(kind) && buffer.byteLength > 0) {
    return Uint8Array.from(new Uint8Array(buffer, view?.byteOffset, view?.byteLength));
  }
  throw new WebhookError("invalid_body", "Give the body as it came, as text or bytes, not parsed.");
}

function readEvent(bytes: Uint8Array<ArrayBuffer>): WebhookEvent {
  const event = parseJson(new TextDecoder().decode(bytes));
  if (typeof event === "object" && event !== null) return event as WebhookEvent;
  throw new WebhookError("invalid_body", "What was signed is not the JSON of an event.");
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
  return [secrets].flat().map((secret) => decodeBase64(String(secret ?? "").replace(/^whsec_/, "")))
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
