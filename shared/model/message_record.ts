/** A message as messages-api and the events show it. */
import * as z from "zod";
import { holdFields } from "./hold.ts";
import { instantSchema, zonedInstantSchema } from "./instant.ts";
import { messageChangeSchema } from "./message_change.ts";
import { messageStatuses } from "./message_status.ts";
import { storedMetadataSchema } from "./metadata.ts";
import { costSchema, pricingSchema } from "./pricing.ts";
import { ladderRecordFields } from "./outside_window.ts";
import { purposes } from "./purpose.ts";
import { shownSentParts } from "./content_parts.ts";
import { receivedPartFields } from "./received_parts.ts";
import {
  groupReceiptSchema,
  heldBySchema,
  mediaFields,
  messageContactSchema,
  messageFactFields,
} from "./response_fields.ts";

export const directionSchema = z.enum(["inbound", "outbound"]);
/** A received message has one status. */
export const recordStatusSchema = z.enum([...messageStatuses, "received"]);

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
  cardId: z.string().nullable(),
  batchId: z.uuid().nullable(),
  purpose: z.enum(purposes),
  cancelKey: z.string().nullable(),
  metadata: storedMetadataSchema,
  ...mediaFields,
  contactId: z.uuid(),
  contact: messageContactSchema,
  conversationId: z.uuid(),
  providerMessageId: z.string().nullable(),
  channelStatus: z.string().nullable(),
  pricing: pricingSchema.nullable(),
  estimatedCost: costSchema.nullable(),
  ...ladderRecordFields,
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
  lastError: z.object({ code: z.string(), message: z.string() }).nullable(),
  change: messageChangeSchema.optional(),
};
