import * as z from "zod";
import {
  idSchema,
  instanceIdSchema,
  instantSchema,
  pageSizeSchema,
} from "../../shared/model/request_fields.ts";

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
  scheduledAt: instantSchema,
  position: z.number().int().min(1),
});

/** A message's id in a path; anything else names no message. */
export const messageIdSchema = idSchema;
