import type { Context } from "hono";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import { createIdempotency } from "../idempotency/idempotency_key.ts";
import type * as z from "zod";
import type { JsonObject } from "./json_body.ts";
import { keepGiven } from "../model/request_input.ts";

/**
 * Returns the request's `Idempotency-Key`; null without one. Of a body that was validated only what is given
 * is compared. @throws as `createIdempotency`.
 */
export function readIdempotency(
  context: Context,
  scope: string,
  body: JsonObject,
): Promise<Idempotency | null> {
  const header = context.req.header("idempotency-key");
  const schema: z.ZodObject | undefined = context.get("bodySchema");
  const given = header === undefined || schema === undefined ? body : keepGiven(schema, body);
  return createIdempotency(header, { scope, path: context.req.path, body: given as JsonObject });
}

/** The headers of a replayed response (decisions, section 5). */
export function replayHeaders(
  { isReplay }: { readonly isReplay: boolean },
): Record<string, string> {
  return isReplay ? { "Idempotent-Replayed": "true" } : {};
}
