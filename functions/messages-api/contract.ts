import * as z from "zod";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { instanceHealthFields } from "../../shared/model/health_record.ts";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import {
  directionSchema,
  messageRecordFields,
  recordStatusSchema,
} from "../../shared/model/message_record.ts";
import { dayOfProtectionSchema, waitingMessageSchema } from "../../shared/model/queue_record.ts";
import { checkPeriod, orderSchema, pageSchema } from "../../shared/model/page.ts";
import {
  cardIdSchema,
  findFilterIssues,
  idSchema,
  instanceIdSchema,
  instanceQuerySchema,
  pageSizeSchema,
  recipientFields,
  visibleTextSchema,
} from "../../shared/model/request_fields.ts";
import { readOutcomeFields } from "../../shared/model/read_outcome.ts";
import { cancelKeySchema } from "../../shared/model/timing.ts";
import { providerFailureFields, successField } from "../../shared/model/response_fields.ts";

/** GET /functions/v1/messages-api/queue (decisions, section 9). */
export const listQueueSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
});

/** GET /functions/v1/messages-api/messages (beyond the specification). */
export const listMessagesSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
  ...recipientFields,
  cardId: cardIdSchema.optional(),
  batchId: idSchema.optional(),
  status: recordStatusSchema.optional(),
  direction: directionSchema.optional(),
  order: orderSchema.optional(),
  since: storableInstantSchema.optional(),
  until: storableInstantSchema.optional(),
});

/** DELETE /functions/v1/messages-api/messages (beyond the specification). */
export const cancelMessagesSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  cancelKey: cancelKeySchema,
});

/**
 * PATCH /functions/v1/messages-api/messages/{id} (beyond the specification): moves what waits, or gives what
 * was sent new words.
 */
export const changeMessageSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  sendAt: storableInstantSchema.optional(),
  expiresAt: storableInstantSchema.optional(),
  message: visibleTextSchema(65_536).optional(),
});

/** Requires something to move, or new words: a message that waits has left when it has words to edit. */
export const checkChangeMessage: CrossCheck = ({ sendAt, expiresAt, message }) => {
  if (message === undefined) {
    return sendAt === undefined && expiresAt === undefined
      ? [{ path: "sendAt", message: "is required, or expiresAt, or message" }]
      : [];
  }
  return Object.entries({ sendAt, expiresAt }).filter(([, value]) => value !== undefined)
    .map(([path]) => ({ path, message: "cannot be sent with message" }));
};

/** DELETE /functions/v1/messages-api/messages/{id}: cancels what waits, or deletes what was sent. */
export const deleteMessageSchema = instanceQuerySchema.extend({
  for: z.literal("everyone").optional(),
});

/** POST /functions/v1/messages-api/messages/{id}/read (beyond the specification). */
export const readMessageSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  typing: z.boolean().default(false),
});

/** The members of a provider's error about a change. */
export const changeFailureSchema = z.object(providerFailureFields);

export const readMessageResponseSchema = z.object({ ...successField, ...readOutcomeFields });

/** Requires that `until` is not before `since`, and that one contact at most is named, in one way. */
export const checkListMessages: CrossCheck = (query) => [
  ...findFilterIssues(query),
  ...checkPeriod(query),
];

/** GET /functions/v1/messages-api/health. */
export const healthSchema = instanceQuerySchema;

/** The end of a page of the queue: the slot and the position of its last message. */
export const queueCursorSchema = z.object({
  scheduledAt: storableInstantSchema,
  position: z.number().int().min(1),
});

/** A message's id in a path: ours, or the provider's. */
export const messageIdSchema = z.string().regex(/^[\x21-\x7e]{1,512}$/);

export const messageResponseSchema = z.object({ ...successField, ...messageRecordFields });

export const messagesResponseSchema = z.object({
  ...successField,
  items: z.array(messageResponseSchema.omit({ success: true })),
  nextCursor: z.string().nullable(),
});

export const cancelMessagesResponseSchema = z.object({
  ...successField,
  canceled: z.int().min(0),
});

export const queueResponseSchema = z.object({
  ...successField,
  items: z.array(waitingMessageSchema),
  total: z.int().min(0),
  protection: dayOfProtectionSchema.nullable(),
  nextCursor: z.string().nullable(),
});

export const healthResponseSchema = z.object({
  ...successField,
  instanceId: z.uuid(),
  ...instanceHealthFields,
});
