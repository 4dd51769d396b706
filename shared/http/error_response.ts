import type { Context } from "hono";
import { AppError } from "../errors.ts";
import { describeDefect, type Log } from "../log.ts";

/**
 * The answer to anything thrown: a refusal says what it is, a defect says nothing but the request
 * id, and its cause goes to the log.
 */
export function respondToError(error: unknown, context: Context, log: Log): Response {
  const refusal = error instanceof AppError ? error : new AppError("internal_error");
  if (refusal !== error) {
    log.error("defect", { requestId: context.get("requestId"), ...describeDefect(error) });
  }
  context.set("errorCode", refusal.code);
  const body = refusal.code === "internal_error"
    ? { ...refusal.toBody(), requestId: context.get("requestId") }
    : refusal.toBody();
  return context.json(body, refusal.status as 400, refusal.extras.headers);
}
