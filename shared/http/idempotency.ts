import type { Context } from "hono";
import { hashText } from "../crypto/encoding.ts";
import { AppError } from "../model/errors.ts";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import type { JsonObject } from "./json_body.ts";

/**
 * The request's `Idempotency-Key` (quoted or bare), null without one.
 *
 * @throws {AppError} `invalid_request` for a key that is not 1 to 255 visible characters.
 */
export async function readIdempotency(
  context: Context,
  scope: string,
  body: JsonObject,
): Promise<Idempotency | null> {
  const header = context.req.header("idempotency-key");
  if (header === undefined) return null;
  const bare = header.trim();
  const key = /^"(.*)"$/s.exec(bare)?.[1]?.replace(/\\(["\\])/g, "$1") ?? bare;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new AppError("invalid_request", {
      issues: [{ path: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" }],
    });
  }
  const fingerprint = await hashText(`${context.req.path}\n${toCanonicalJson(body)}`);
  return { scope, key, fingerprint };
}

/** Marks an answer as given before (decisions, section 5). */
export const replayedHeaders = { "Idempotent-Replayed": "true" } as const;

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
