import type { Context } from "hono";
import type { RateLimit } from "../database/rpcs/tenancy.ts";
import { AppError } from "../model/errors.ts";

/**
 * Adds the state of the rate limit to every response (the fields of the IETF draft "RateLimit
 * header fields for HTTP"), and rejects requests above the limit. The policy is named after the
 * function.
 *
 * @throws {AppError} `rate_limited` with `Retry-After`.
 */
export function applyRateLimit(context: Context, rateLimit: RateLimit | null): void {
  if (rateLimit === null) return;
  const { limit, remaining, resetSeconds, retryAfterSeconds } = rateLimit;
  const policy = `"${context.get("functionName")}"`;
  context.header("RateLimit-Policy", `${policy};q=${limit};w=60`);
  context.header("RateLimit", `${policy};r=${remaining};t=${resetSeconds}`);
  if (retryAfterSeconds === null) return;
  throw new AppError("rate_limited", { headers: { "Retry-After": String(retryAfterSeconds) } });
}
