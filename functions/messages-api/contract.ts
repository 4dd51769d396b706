import * as z from "zod";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { holdFields } from "../../shared/model/hold.ts";
import {
  instantSchema,
  storableInstantSchema,
  zonedInstantSchema,
} from "../../shared/model/instant.ts";
import {
  directionSchema,
  messageRecordFields,
  recordStatusSchema,
} from "../../shared/model/message_record.ts";
import { orderSchema, pageSchema } from "../../shared/model/page.ts";
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
import { cancelKeySchema } from "../../shared/model/timing.ts";
import {
  heldBySchema,
  messageStatusSchema,
  providerFailureFields,
  successField,
} from "../../shared/model/response_fields.ts";
import { budgetStateSchema } from "./usage_contract.ts";

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

const actionErrorSchema = z.object({ code: z.string(), message: z.string() });

export const readMessageResponseSchema = z.object({
  ...successField,
  messageId: z.string(),
  channel: z.enum(["read", "not_supported", "refused", "unknown"]),
  typing: z.enum(["shown", "requested", "not_supported", "refused", "unknown"]).nullable(),
  details: actionErrorSchema.optional(),
});

/** Requires that `until` is not before `since`, and that one contact at most is named, in one way. */
export const checkListMessages: CrossCheck = (query) => [
  ...findFilterIssues(query),
  ...(Date.parse(String(query["until"])) < Date.parse(String(query["since"]))
    ? [{ path: "until", message: "must not be before since" }]
    : []),
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

/** What the limits of an instance's day allow, and what of it is taken. */
const dayOfProtectionSchema = z.object({
  day: z.iso.date(),
  limit: z.int().nullable(),
  limitedBy: z.enum(["daily_limit", "warm_up"]).nullable(),
  sent: z.int().min(0),
  waiting: z.int().min(0),
  newContacts: z.object({
    limit: z.int(),
    sent: z.int().min(0),
    waiting: z.int().min(0),
  }).nullable(),
});

const waitingItemSchema = z.object({
  messageId: z.uuid(),
  phone: z.string().nullable(),
  messageType: z.string(),
  scheduledFor: zonedInstantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  position: z.int().min(1),
});

export const queueResponseSchema = z.object({
  ...successField,
  items: z.array(waitingItemSchema),
  total: z.int().min(0),
  protection: dayOfProtectionSchema.nullable(),
  nextCursor: z.string().nullable(),
});

export const healthResponseSchema = z.object({
  ...successField,
  instanceId: z.uuid(),
  status: z.enum(["ok", "late", "held", "disconnected"]),
  oldestDueAt: instantSchema.nullable(),
  oldestDueSeconds: z.int().min(0).nullable(),
  nextDueAt: instantSchema.nullable(),
  queueDepth: z.int().min(0),
  inFlight: z.int().min(0),
  unconfirmed: z.int().min(0),
  isWindowOpen: z.boolean(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  connection: z.object({
    state: z.enum(["connected", "disconnected", "unknown"]),
    since: instantSchema.nullable(),
    until: instantSchema.nullable(),
    reason: z.string().nullable(),
  }),
  channelLimit: z.string().nullable(),
  pace: z.object({
    messagesPerSecond: z.int().min(1).max(80),
    current: z.number().positive(),
    slowedUntil: instantSchema.nullable(),
  }).nullable(),
  budget: budgetStateSchema.nullable(),
  protection: dayOfProtectionSchema.nullable(),
  lastSuccessAt: instantSchema.nullable(),
  lastFailure: z.object({
    at: instantSchema,
    status: messageStatusSchema,
    code: z.string().nullable(),
    message: z.string().nullable(),
  }).nullable(),
});
