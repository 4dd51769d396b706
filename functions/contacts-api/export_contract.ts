import * as z from "zod";
import { messageStatuses } from "../../shared/model/message_status.ts";
import { instantSchema, zonedInstantSchema } from "../../shared/model/instant.ts";
import { storedMetadataSchema } from "../../shared/model/metadata.ts";
import { purposes } from "../../shared/model/purpose.ts";
import {
  choiceSchema,
  heldBySchema,
  mediaFields,
  messageFactFields,
  successField,
} from "../../shared/model/response_fields.ts";
import { consentStates, contactSchema } from "./contract.ts";

const text = z.string().nullable();
const instant = instantSchema.nullable();

/** A message: its record as messages-api answers it, and what the record leaves out. */
const exportedMessageSchema = z.object({
  messageId: z.uuid(),
  direction: z.enum(["inbound", "outbound"]),
  status: z.enum([...messageStatuses, "received"]),
  messageType: z.string(),
  message: text,
  choice: choiceSchema.nullable(),
  ...messageFactFields,
  content: z.record(z.string(), z.unknown()).nullable(),
  cardId: text,
  batchId: z.uuid().nullable(),
  purpose: z.enum(purposes),
  cancelKey: text,
  metadata: storedMetadataSchema,
  ...mediaFields,
  media: z.object({
    filename: text,
    mimeType: text,
    size: z.int().nullable(),
    sha256: text,
    transcript: text,
  }).nullable(),
  contactId: z.uuid(),
  conversationId: z.uuid(),
  providerMessageId: text,
  channelStatus: text,
  scheduledFor: zonedInstantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  expiresAt: instant,
  createdAt: instantSchema,
  sentAt: instant,
  deliveredAt: instant,
  readAt: instant,
  failedAt: instant,
  editedAt: instant,
  deletedAt: instant,
  attempts: z.int().min(0),
  lastError: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** GET /functions/v1/contacts-api/contacts/{contactId}/export. */
export const exportResponseSchema = z.object({
  ...successField,
  exportedAt: instantSchema,
  contact: contactSchema,
  mergedContactIds: z.array(z.uuid()),
  agentSession: z.object({
    collectedData: z.record(z.string(), z.unknown()),
    createdAt: instantSchema,
    updatedAt: instantSchema,
  }).nullable(),
  consentLog: z.array(z.object({
    marketing: z.enum(consentStates),
    at: instantSchema,
    source: z.string(),
    evidence: z.union([z.string(), z.record(z.string(), z.unknown())]).nullable(),
    messageId: z.uuid().nullable(),
    recordedAt: instantSchema,
  })),
  notes: z.array(z.object({ noteId: z.uuid(), note: z.string(), createdAt: instantSchema })),
  transfers: z.array(z.object({
    fromOperatorId: z.uuid(),
    toOperatorId: z.uuid().nullable(),
    createdAt: instantSchema,
  })),
  messages: z.array(exportedMessageSchema),
});
