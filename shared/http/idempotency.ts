import type { Context } from "hono";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import { createIdempotency } from "../idempotency/idempotency_key.ts";
import type { JsonObject } from "./json_body.ts";

/** Returns the request's `Idempotency-Key`; null without one. @throws as `createIdempotency`. */
export function readIdempotency(
  context: Context,
  scope: string,
  body: JsonObject,
): Promise<Idempotency | null> {
  const header = context.req.header("idempotency-key");
  return createIdempotency(header, { scope, path: context.req.path, body });
}

/** The headers of a replayed response (decisions, section 5). */
export function replayHeaders(
  { isReplay }: { readonly isReplay: boolean },
): Record<string, string> {
  return isReplay ? { "Idempotent-Replayed": "true" } : {};
}
