import type { Context, Hono } from "hono";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { createSecretKeyGuard } from "../../shared/http/secret_key_guard.ts";
import { validate } from "../../shared/http/validate.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { RunAfterResponse } from "../../shared/runtime/background.ts";
import { dispatchQueueResponseSchema, dispatchQueueSchema } from "./contract.ts";
import {
  type DispatchLimits,
  type DispatchServices,
  type OnFirstPoll,
  runDispatch,
} from "./dispatch.ts";

export type DispatchQueueServices = DispatchServices & {
  readonly dispatcherKeys: Readonly<Record<string, string>>;
  readonly runAfterResponse: RunAfterResponse;
};

/**
 * POST /functions/v1/dispatch-queue. Answers when the run has polled the queue once, and the run works
 * on: pg_net waits until all calls of a batch are answered, so that an answer at the end of the run
 * would make every tenant's next run wait for the slowest provider.
 */
export function createDispatchQueueApp(services: DispatchQueueServices): Hono {
  const handle = async (context: Context): Promise<Response> => {
    const { maxSeconds, maxMessages } = validate(dispatchQueueSchema, context.req.query());
    const limits = { durationMs: maxSeconds * 1_000, maxMessages };
    const claimsUntil = new Date(Date.now() + limits.durationMs).toISOString();
    const firstPoll = Promise.withResolvers<boolean>();
    services.runAfterResponse(() =>
      runAndReport(services, limits, context.get("requestId"), firstPoll.resolve)
    );
    if (!await firstPoll.promise) throw new AppError("service_unavailable");
    return answerJson(context, dispatchQueueResponseSchema, { success: true, claimsUntil });
  };
  return createApp({
    slug: "dispatch-queue",
    log: services.log,
    database: services.database,
    routes: [{
      method: "POST",
      path: "/",
      query: dispatchQueueSchema,
      handlers: [createSecretKeyGuard(services.dispatcherKeys), handle],
    }],
  });
}

async function runAndReport(
  services: DispatchQueueServices,
  limits: DispatchLimits,
  requestId: string,
  onFirstPoll: OnFirstPoll,
): Promise<void> {
  const startedAt = performance.now();
  try {
    const report = await runDispatch(services, limits, onFirstPoll);
    const durationMs = Math.round(performance.now() - startedAt);
    services.log.info("dispatch_completed", { requestId, durationMs, ...report });
  } finally {
    // A defect must not leave the caller without an answer.
    onFirstPoll(false);
  }
}
