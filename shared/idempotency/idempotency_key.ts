import { hashText } from "../crypto/encoding.ts";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import { AppError } from "../model/errors.ts";

/** A call as its `Idempotency-Key` sees it. */
export interface KeyedCall {
  /** Whose key it is: a client token's id, or `admin`. */
  readonly scope: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The call's key with the fingerprint of its path and body; null without a key.
 *
 * @param header the `Idempotency-Key` as it was sent, quoted or bare.
 * @throws {AppError} `invalid_request` for a key that is not 1 to 255 visible characters.
 */
export async function createIdempotency(
  header: string | undefined,
  { scope, path, body }: KeyedCall,
): Promise<Idempotency | null> {
  if (header === undefined) return null;
  const key = readKey(header);
  const fingerprint = await hashText(`${path}\n${toCanonicalJson(body)}`);
  return { scope, key, fingerprint };
}

function readKey(header: string): string {
  const bare = header.trim();
  const key = /^"(.*)"$/s.exec(bare)?.[1]?.replace(/\\(["\\])/g, "$1") ?? bare;
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new AppError("invalid_request", {
    issues: [{ path: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" }],
  });
}

/** JSON with sorted keys: a client may write the same body in another order. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, member: unknown) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => a < b ? -1 : 1))
        : member,
  );
}
