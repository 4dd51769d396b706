import * as z from "zod";
import { instantSchema, storableInstantSchema } from "../../../shared/model/instant.ts";
import { idSchema, instanceIdSchema } from "../../../shared/model/request_fields.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";
import { pageSchema } from "../../../shared/model/page.ts";

/** POST admin-api/queue/hold. Without `instanceId` every instance is held. */
export const holdQueueSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  until: storableInstantSchema.optional(),
  reason: z.string().trim().min(1).max(500).optional(),
});

/** POST admin-api/queue/release. */
export const releaseQueueSchema = z.object({ instanceId: instanceIdSchema.optional() });

/** GET admin-api/queue/holds. */
export const listHoldsSchema = pageSchema;

/** GET admin-api/queue/may-have-left. */
export const mayHaveLeftSchema = pageSchema.extend({
  since: storableInstantSchema,
  until: storableInstantSchema.optional(),
  instanceId: instanceIdSchema.optional(),
});

/** POST admin-api/queue/may-have-left/settle. */
export const settleMayHaveLeftSchema = z.object({
  action: z.enum(["cancel", "keep", "unconfirmed"]),
  since: storableInstantSchema,
  until: storableInstantSchema.optional(),
  instanceId: instanceIdSchema.optional(),
});

export const holdQueueResponseSchema = recordAnswer({
  instances: z.int().min(0),
  inFlight: z.int().min(0),
  heldUntil: instantSchema.nullable(),
  reason: z.string().nullable(),
});

export const releaseQueueResponseSchema = recordAnswer({ instances: z.int().min(0) });

/** An instance that an operator holds. */
const queueHoldRecord = {
  instanceId: idSchema,
  name: z.string(),
  heldAt: instantSchema,
  heldUntil: instantSchema.nullable(),
  reason: z.string().nullable(),
  waiting: z.int().min(0),
  inFlight: z.int().min(0),
};

export const queueHoldsResponseSchema = pageAnswer(queueHoldRecord);

/** A message that may have left between the dump and the restore. */
const restoredMessage = z.object({
  messageId: z.uuid(),
  instanceId: idSchema,
  contactId: z.uuid(),
  messageType: z.string(),
  state: z.enum(["waiting", "in_flight", "unconfirmed"]),
  dueAt: instantSchema,
  createdAt: instantSchema,
});

/** What may have left of one instance. */
const restoredInstance = z.object({
  instanceId: idSchema,
  name: z.string(),
  waiting: z.int().min(0),
  inFlight: z.int().min(0),
  unconfirmed: z.int().min(0),
  emails: z.int().min(0),
  agentReplies: z.int().min(0),
});

export const mayHaveLeftResponseSchema = recordAnswer({
  since: instantSchema,
  until: instantSchema,
  total: z.int().min(0),
  acceptedSince: z.int().min(0),
  instances: z.array(restoredInstance),
  items: z.array(restoredMessage),
  nextCursor: z.string().nullable(),
});

export const settledResponseSchema = recordAnswer({
  unconfirmed: z.int().min(0),
  canceled: z.int().min(0),
  outboxRows: z.int().min(0),
  remaining: z.int().min(0),
});
