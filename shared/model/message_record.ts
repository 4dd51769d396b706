/** A message as messages-api and the events show it. */
import { shownCallerFields } from "./caller_fields.ts";
import * as z from "zod";
import { holdFields } from "./hold.ts";
import { instantSchema, zonedInstantSchema } from "./instant.ts";
import { messageChangeSchema } from "./message_change.ts";
import { messageErrorSchema } from "./message_error.ts";
import { directions, messageStatuses } from "./message_status.ts";
import { costSchema, pricingSchema } from "./pricing.ts";
import { ladderRecordFields } from "./outside_window.ts";
import { purposes } from "./purpose.ts";
import { messageQuestionFields } from "./question_record.ts";
import { shownSentParts } from "./content_parts.ts";
import { cancelEvents, cancelReasons } from "./timing.ts";
import { receivedPartFields } from "./received_parts.ts";
import {
  type AnswerOf,
  groupReceiptSchema,
  heldBySchema,
  mediaFields,
  messageContactSchema,
  messageFactFields,
} from "./response_fields.ts";

export const directionSchema = z.enum(directions);
/** A received message has one status. */
export const recordStatusSchema = z.enum([...messageStatuses, "received"]);

const { cardId, metadata, ...furtherCallerFields } = shownCallerFields;

/** The fields of a message's record, in the order of the document. */
export const messageRecordFields = {
  messageId: z.uuid(),
  direction: directionSchema,
  status: recordStatusSchema,
  messageType: z.string(),
  message: z.string().nullable(),
  ...receivedPartFields,
  ...shownSentParts,
  ...messageFactFields,
  cardId,
  batchId: z.uuid().nullable(),
  purpose: z.enum(purposes),
  cancelKey: z.string().nullable(),
  cancelOn: z.array(z.enum(cancelEvents)).nullable(),
  paymentReference: z.string().nullable(),
  /** Null for a message that was not canceled, and for one that a call has canceled. */
  cancelReason: z.enum(cancelReasons).nullable(),
  metadata,
  ...furtherCallerFields,
  ...mediaFields,
  contactId: z.uuid(),
  contact: messageContactSchema,
  conversationId: z.uuid(),
  providerMessageId: z.string().nullable(),
  /** What the provider says of a message that it keeps back for now; null for any other. */
  channelStatus: z.string().nullable(),
  pricing: pricingSchema.nullable(),
  estimatedCost: costSchema.nullable(),
  ...ladderRecordFields,
  ...messageQuestionFields,
  /** Who of a group has got or read it, where somebody is known. */
  groupReceipts: z.array(groupReceiptSchema).optional(),
  scheduledFor: zonedInstantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  expiresAt: instantSchema.nullable(),
  createdAt: instantSchema,
  sentAt: instantSchema.nullable(),
  deliveredAt: instantSchema.nullable(),
  readAt: instantSchema.nullable(),
  failedAt: instantSchema.nullable(),
  editedAt: instantSchema.nullable(),
  deletedAt: instantSchema.nullable(),
  attempts: z.int().min(0),
  lastError: messageErrorSchema.nullable(),
  /** The last edit or deletion that a call asked for; left out where none did. */
  change: messageChangeSchema.optional(),
};

/** A message, sent or received, with instants in the instance's zone; see `describe_message`. */
export type MessageRecord = AnswerOf<z.ZodObject<typeof messageRecordFields>>;
