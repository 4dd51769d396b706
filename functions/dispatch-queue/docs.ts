import type { Operation } from "../../shared/openapi/operation.ts";
import { dispatchQueueResponseSchema, dispatchQueueSchema } from "./contract.ts";

/** The operations of dispatch-queue (decisions, section 9). */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "dispatchQueue",
  tag: "Dispatcher",
  summary: "Send due messages",
  description:
    "Called by cron: on the hosted platform every 20 seconds, for 20 seconds. Sends due messages and processes due outbox entries and sends events to webhook endpoints until `maxSeconds` or `maxMessages` is reached. Runs may overlap; the next run processes what is left. When every read of the queue fails, the response is 503. The request has no body.",
  access: "secretKey",
  query: dispatchQueueSchema,
  success: {
    description: "Result of the run.",
    schema: dispatchQueueResponseSchema,
  },
  errors: ["service_unavailable"],
  examples: [{
    name: "quick_run",
    summary: "A run of one second",
    request: { maxSeconds: 1, maxMessages: 100 },
    response: {
      success: true,
      durationMs: 1004,
      accepted: 3,
      rejected: 0,
      unknown: 0,
      outboxRows: 1,
      deliveries: 4,
      expiredClaims: 0,
      requeued: 0,
      woken: 0,
      purged: 0,
    },
  }],
}];
