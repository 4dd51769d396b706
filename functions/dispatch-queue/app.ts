import type { Context, Hono } from "hono";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { createSecretKeyGuard } from "../../shared/http/secret_key_guard.ts";
import { validate } from "../../shared/http/validate.ts";
import { type DispatchQueueResponse, dispatchQueueSchema } from "./contract.ts";
import { type DispatchServices, runDispatch } from "./dispatch.ts";

export type DispatchQueueServices = DispatchServices & {
  readonly secretKeys: Readonly<Record<string, string>>;
};

/** POST /functions/v1/dispatch-queue. */
export function createDispatchQueueApp(services: DispatchQueueServices): Hono {
  const handle = async (context: Context): Promise<Response> => {
    const { maxSeconds, maxMessages } = validate(dispatchQueueSchema, context.req.query());
    const startedAt = performance.now();
    const report = await runDispatch(services, { durationMs: maxSeconds * 1_000, maxMessages });
    const durationMs = Math.round(performance.now() - startedAt);
    services.log.info("dispatch_completed", {
      requestId: context.get("requestId"),
      durationMs,
      ...report,
    });
    return answerJson<DispatchQueueResponse>(context, { success: true, durationMs, ...report });
  };
  return createApp({
    slug: "dispatch-queue",
    log: services.log,
    routes: [{
      method: "POST",
      path: "/",
      handlers: [createSecretKeyGuard(services.secretKeys), handle],
    }],
  });
}
