/** A conversation as conversations-api shows it: its answers and the database's records follow from these schemas. */
import * as z from "zod";
import { conversationHolders } from "./control.ts";
import { deletedContactSchema } from "./contact_record.ts";
import { conversationStatuses } from "./conversation_status.ts";
import { instantSchema } from "./instant.ts";
import { receivedPartSchemas } from "./received_parts.ts";
import { type AnswerOf, pauseField } from "./response_fields.ts";

export const conversationStatusSchema = z.enum(conversationStatuses);

export const conversationHolderSchema = z.enum(conversationHolders);

/** A conversation, with instants in the instance's zone; see `describe_conversation`. */
export const conversationSchema = z.object({
  conversationId: z.uuid(),
  contactId: z.uuid(),
  contact: z.object({
    contactId: z.uuid(),
    phone: z.string().nullable(),
    name: z.string().nullable(),
  }),
  status: conversationStatusSchema,
  handledBy: conversationHolderSchema,
  assignedTo: z.uuid().nullable(),
  departmentId: z.uuid().nullable(),
  portfolio: z.boolean(),
  awaitingReply: z.boolean(),
  lastMessageAt: instantSchema.nullable(),
  referral: receivedPartSchemas.referral.nullable(),
  ...pauseField,
  createdAt: instantSchema,
  updatedAt: instantSchema,
});

export type ConversationRecord = AnswerOf<typeof conversationSchema>;

/** The tombstone of a merged or erased contact, whose conversation is gone with it. */
export const deletedConversationSchema = deletedContactSchema;

export type DeletedConversation = AnswerOf<typeof deletedConversationSchema>;

export const noteSchema = z.object({
  noteId: z.uuid(),
  note: z.string(),
  createdAt: instantSchema,
});

export type NoteRecord = AnswerOf<typeof noteSchema>;

export const transferSchema = z.object({
  fromOperatorId: z.uuid(),
  /** Null where the transfer ended the assignment. */
  toOperatorId: z.uuid().nullable(),
  createdAt: instantSchema,
});

export type TransferRecord = AnswerOf<typeof transferSchema>;

/** What setting a status answers. */
export const conversationStateFields = {
  contactId: z.uuid(),
  conversationId: z.uuid(),
  status: conversationStatusSchema,
  noteAdded: z.boolean(),
};

export type ConversationState = AnswerOf<z.ZodObject<typeof conversationStateFields>>;

/** What changing who holds a conversation answers. */
export const controlledFields = {
  contactId: z.uuid(),
  conversationId: z.uuid(),
  handledBy: conversationHolderSchema,
  previous: conversationHolderSchema,
};

export type ControlledConversation = AnswerOf<z.ZodObject<typeof controlledFields>>;

/** What adding a note answers. */
export const recordedNoteFields = {
  contactId: z.uuid(),
  conversationId: z.uuid(),
  noteId: z.uuid(),
};

export type RecordedNote = AnswerOf<z.ZodObject<typeof recordedNoteFields>>;

/** What ending an assignment answers. */
export const unassignedFields = {
  contactId: z.uuid(),
  assignedTo: z.null(),
  /** Null where the conversation had no operator. */
  previousAssignedTo: z.uuid().nullable(),
};

export type UnassignedConversation = AnswerOf<z.ZodObject<typeof unassignedFields>>;

/** Whether the agent is silent for a contact. */
const agentPauseFields = { paused: z.boolean(), ...pauseField };

/** Of a contact that is known. */
export const setAgentPauseFields = { contactId: z.uuid(), ...agentPauseFields };

export type SetAgentPause = AnswerOf<z.ZodObject<typeof setAgentPauseFields>>;

/** No `contactId` for an unknown phone. */
export const readAgentPauseFields = { contactId: z.uuid().nullable(), ...agentPauseFields };

export type AgentPause = AnswerOf<z.ZodObject<typeof readAgentPauseFields>>;
