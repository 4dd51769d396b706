import * as z from "zod";
import { consentStates, contactSchema } from "../../shared/model/contact_record.ts";
import { instantSchema } from "../../shared/model/instant.ts";
import { messageRecordFields } from "../../shared/model/message_record.ts";
import { paymentRecordFields } from "../../shared/model/payment.ts";
import { questionRecordFields } from "../../shared/model/question_record.ts";
import { successField } from "../../shared/model/response_fields.ts";

const text = z.string().nullable();

/** The contact stands once, at the head of the export. */
const withoutContact = { contact: true } as const;

/** A message: its record as messages-api answers it, and what the record leaves out. */
const exportedMessageSchema = z.object(messageRecordFields).omit(withoutContact).extend({
  content: z.record(z.string(), z.unknown()).nullable(),
  media: z.object({
    filename: text,
    mimeType: text,
    size: z.int().nullable(),
    sha256: text,
    transcript: text,
  }).nullable(),
});

/** What an export has of a person at one instance. */
const exportedFields = {
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
  questions: z.array(z.object(questionRecordFields).omit(withoutContact)),
  payments: z.array(z.object(paymentRecordFields).omit(withoutContact)),
  messages: z.array(exportedMessageSchema),
};

/** The same person at another instance of the workspace. */
export const otherInstanceSchema = z.object({
  instanceId: z.uuid(),
  instanceName: z.string(),
  ...exportedFields,
});

/** GET /functions/v1/contacts-api/contacts/{contactId}/export. */
export const exportResponseSchema = z.object({
  ...successField,
  exportedAt: instantSchema,
  ...exportedFields,
  otherInstances: z.array(otherInstanceSchema).optional(),
});
