import * as z from "zod";

/**
 * POST /functions/v1/dispatch-queue, called by cron. The bounds fit a hosted function: 150 s to
 * answer, 2 s of processor time.
 */
export const dispatchQueueSchema = z.object({
  /** How long the run takes up new messages. */
  maxSeconds: z.coerce.number().int().min(1).max(120).default(55),
  /** How many messages it takes up at most. */
  maxMessages: z.coerce.number().int().min(1).max(100_000).default(5_000),
});
