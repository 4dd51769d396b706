import * as z from "zod";
import { type AnswerOf, successField } from "../../shared/model/response_fields.ts";

/**
 * POST /functions/v1/dispatch-queue, called by cron. The limits fit a hosted function: 150 s until
 * the response, 2 s of processor time.
 */
export const dispatchQueueSchema = z.object({
  /** How long the run claims new messages, in seconds. */
  maxSeconds: z.coerce.number().int().min(1).max(120).default(55),
  /** The most messages that the run claims, and the most deliveries of events. */
  maxMessages: z.coerce.number().int().min(1).max(100_000).default(5_000),
});

const countSchema = z.int().min(0);

export const dispatchQueueResponseSchema = z.object({
  ...successField,
  durationMs: countSchema,
  accepted: countSchema,
  rejected: countSchema,
  unknown: countSchema,
  outboxRows: countSchema,
  deliveries: countSchema,
  expiredClaims: countSchema,
  requeued: countSchema,
  woken: countSchema,
  purged: countSchema,
});

export type DispatchQueueResponse = AnswerOf<typeof dispatchQueueResponseSchema>;
