import type { Context } from "hono";
import { AppError } from "../model/errors.ts";
import { writeJson } from "./answer.ts";
import { nameDocs } from "./refusal_body.ts";
import { loadCounters } from "../runtime/load_counters.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { BrokenBodyError } from "./request_body.ts";

/**
 * Converts a thrown error to a response. An `AppError` gives its code and message. A defect gives
 * only the request id; the log gets its cause. A caller that has gone is no defect, and is counted.
 */
export function respondToError(error: unknown, context: Context, log: Log): Response {
  const refusal = error instanceof AppError ? error : new AppError("internal_error");
  if (refusal !== error) {
    log.error("request_failed", { requestId: context.get("requestId"), ...describeDefect(error) });
  }
  context.set("errorCode", refusal.code);
  const body = nameDocs(refusal.toBody());
  if (refusal instanceof BrokenBodyError) {
    loadCounters.count("client_disconnected");
    log.info("client_disconnected", { requestId: context.get("requestId") });
  }
  if (refusal.code === "internal_error") {
    return context.json({ ...body, requestId: context.get("requestId") }, 500);
  }
  return writeJson(context, body, refusal.status, refusal.extras.headers);
}
