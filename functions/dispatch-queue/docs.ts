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
    "Called by cron: on the hosted platform every 20 seconds, for 22 seconds. Starts a run and answers as soon as its first poll of the queue has succeeded; the run works on in the background. It sends due messages, processes due outbox entries and sends events to webhook endpoints until `maxSeconds` or `maxMessages` is reached. Runs may overlap; the next run processes what is left. What a run has done is in the log (`dispatch_completed`). When the first poll fails, the response is 503; the run tries again until its end. The request has no body. Besides the project's other secret keys, the key named `cron` opens this operation, and no other one.",
  access: "secretKey",
  query: dispatchQueueSchema,
  success: {
    description: "The run has begun.",
    schema: dispatchQueueResponseSchema,
  },
  errors: ["service_unavailable"],
  examples: [{
    name: "quick_run",
    summary: "A run of one second",
    request: { maxSeconds: 1, maxMessages: 100 },
    response: { success: true, claimsUntil: "2026-11-23T13:00:01.000Z" },
  }],
}];
