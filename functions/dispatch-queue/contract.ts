import * as z from "zod";
import { instantSchema } from "../../shared/model/instant.ts";
import { successField } from "../../shared/model/response_fields.ts";

/**
 * POST /functions/v1/dispatch-queue, called by cron. The limits fit a hosted function: 150 s of life, 2 s
 * of processor time.
 */
export const dispatchQueueSchema = z.object({
  /** How long the run claims new messages, in seconds. */
  maxSeconds: z.coerce.number().int().min(1).max(120).default(22),
  /** The most messages that the run claims, and the most deliveries of events. */
  maxMessages: z.coerce.number().int().min(1).max(100_000).default(5_000),
});

export const dispatchQueueResponseSchema = z.object({
  ...successField,
  /** The run claims no new messages after this instant. */
  claimsUntil: instantSchema,
});
