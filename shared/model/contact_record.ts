/** A contact as contacts-api shows it: its answers and the database's record follow from these schemas. */
import * as z from "zod";
import { shownContactFields } from "./contact_fields.ts";
import { conversationStatuses } from "./conversation_status.ts";
import { instantSchema } from "./instant.ts";
import { receivedPartSchemas } from "./received_parts.ts";
import type { AnswerOf } from "./response_fields.ts";

/** What a contact may have said about marketing. */
export const consentStates = ["granted", "denied", "unknown"] as const;

export const consentSchema = z.object({
  marketing: z.enum(consentStates),
  at: instantSchema.nullable(),
  source: z.string().nullable(),
});

/** Whether a contact wants marketing messages. */
export type Consent = AnswerOf<typeof consentSchema>;

const identitySchema = z.object({
  kind: z.enum(["phone", "lid", "user_id", "parent_user_id", "username"]),
  value: z.string(),
  provenAt: instantSchema.nullable(),
});

/** The official channel's 24 hours and free entry point; always open on gateways. */
const windowSchema = z.object({
  isOpen: z.boolean(),
  closesAt: instantSchema.nullable(),
  freeUntil: instantSchema.nullable(),
});

const conversationSchema = z.object({
  conversationId: z.uuid(),
  status: z.enum(conversationStatuses),
  assignedTo: z.uuid().nullable(),
  departmentId: z.uuid().nullable(),
  portfolio: z.boolean(),
  lastMessageAt: instantSchema.nullable(),
});

const { name, email, company, jobTitle, notes, utmSource, ...furtherFields } = shownContactFields;

/** A contact with every field. */
export const contactSchema = z.object({
  contactId: z.uuid(),
  phone: z.string().nullable(),
  ...{ name, email, company, jobTitle, notes },
  tags: z.array(z.string().min(1).max(50)),
  utmSource,
  ...furtherFields,
  origin: z.string(),
  consent: consentSchema,
  identities: z.array(identitySchema),
  window: windowSchema,
  /** The ad or post that brought the contact last. */
  referral: receivedPartSchemas.referral.nullable(),
  profilePictureUrl: z.string().nullable().meta({
    description:
      "The channel's address of the person's picture, as it was told last; it may have ended since. Null where none was told.",
  }),
  aiAgentPausedUntil: instantSchema.nullable(),
  conversation: conversationSchema.nullable(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
});

/** What saving a contact has changed. */
export const savedContactFields = {
  action: z.enum(["created", "updated"]),
  contactId: z.uuid(),
  fieldsUpdated: z.array(z.string()),
  tagsApplied: z.array(z.string()),
};

export type SavedContact = AnswerOf<z.ZodObject<typeof savedContactFields>>;

export const changedTagsFields = {
  contactId: z.uuid(),
  tagsApplied: z.array(z.string()),
  tagsRemoved: z.array(z.string()),
};

export type ChangedTags = AnswerOf<z.ZodObject<typeof changedTagsFields>>;

export const contactConsentFields = { contactId: z.uuid(), consent: consentSchema };

export type ContactConsent = AnswerOf<z.ZodObject<typeof contactConsentFields>>;

export type ContactRecord = AnswerOf<typeof contactSchema>;

/** A contact that is no more; only a list with `updatedSince` shows it. */
export const deletedContactSchema = z.object({
  contactId: z.uuid(),
  isDeleted: z.literal(true),
  mergedInto: z.uuid().nullable(),
  updatedAt: instantSchema,
});

/** The tombstone of a merged or erased contact. */
export type DeletedContact = AnswerOf<typeof deletedContactSchema>;
