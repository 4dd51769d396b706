import * as z from "zod";
import { idSchema, instanceIdSchema, pageSizeSchema } from "../../shared/request_fields.ts";

/** GET /functions/v1/messages-api/queue (decisions, section 9). */
export const listQueueSchema = z.object({
  instanceId: instanceIdSchema,
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
});

/** GET /functions/v1/messages-api/health. */
export const healthSchema = z.object({ instanceId: instanceIdSchema });

/** Where a page of the queue ended: the slot and the place in line of its last message. */
export const queueCursorSchema = z.object({
  // Only what Postgres reads: no year 0, no offset of 16 hours or more.
  scheduledAt: z.iso.datetime({ offset: true }).regex(/^(?!0000).*(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/),
  position: z.number().int().min(1),
});

export type QueueCursor = z.infer<typeof queueCursorSchema>;

/** A message's id in a path; anything else names no message. */
export const messageIdSchema = idSchema;
