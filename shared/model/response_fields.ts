/** Fields that several responses share. */
import { conversationHolders } from "./control.ts";
import * as z from "zod";
import { askedFields } from "./asked_fields.ts";
import { optionalHoldFields } from "./hold.ts";
import { instantSchema, zonedInstantSchema } from "./instant.ts";
import { fitFields } from "./message_fit.ts";
import { askedPaymentField } from "./payment_status.ts";
import { mediaStatuses } from "./media_status.ts";
import { messageAuthorSchema } from "./message_author.ts";
import { ladderFields, passedRungSchema } from "./outside_window.ts";
import { holdReasons, messageStatuses } from "./message_status.ts";

/** The first member of every success response. */
export const successField = { success: z.literal(true) };

export const messageStatusSchema = z.enum(messageStatuses);

export const heldBySchema = z.enum(holdReasons);

/** The fields of a `conversations-api/assign` response besides `success` (specification 4.1). */
export const assignmentFields = {
  contactId: z.uuid(),
  assignedTo: z.uuid(),
  previousAssignedTo: z.uuid().nullable(),
  portfolio: z.boolean(),
  transferred: z.boolean(),
  departmentId: z.uuid().nullable(),
};

/** The result of `assign_conversation`. */
export type AssignmentOutcome = AnswerOf<z.ZodObject<typeof assignmentFields>>;

/** What a message's record says of its file. */
export const mediaFields = {
  /** Null for no file, and for files that this service does not keep. */
  mediaId: z.uuid().nullable(),
  mediaStatus: z.enum(mediaStatuses).nullable(),
  /** The URL that the sending call gave. Where there is a `mediaId`: null, see `withMediaUrl`. */
  mediaUrl: z.string().nullable(),
  mediaFilename: z.string().nullable(),
  /** As the provider says; once the file is stored, what it is. */
  mediaMimeType: z.string().nullable(),
  /** In bytes. */
  mediaSize: z.int().min(0).nullable(),
};

/** What a member of a group has done with a message of ours. */
export const groupReceiptSchema = messageAuthorSchema.omit({ name: true, username: true }).extend({
  deliveredAt: instantSchema,
  readAt: instantSchema.nullable(),
});

export type GroupReceipt = AnswerOf<typeof groupReceiptSchema>;

/** What a message's record says of its place in a conversation, and of who wrote it. */
export const messageFactFields = {
  /** The message that this one answers; null for none, and for one that is not stored. */
  quotedMessageId: z.uuid().nullable(),
  quotedProviderMessageId: z.string().nullable(),
  isGroup: z.boolean(),
  chatName: z.string().nullable(),
  author: messageAuthorSchema.nullable(),
  sentBy: z.string().nullable(),
  isTypedOnPhone: z.boolean(),
  handledBy: z.enum(conversationHolders),
};

/** The contact of a message, in its record and in its events. */
export const messageContactSchema = z.object({
  contactId: z.uuid(),
  /** Null for a person who hides it. */
  phone: z.string().nullable(),
  name: z.string().nullable(),
  userId: z.string().nullable(),
  username: z.string().nullable(),
  lid: z.string().nullable(),
});

/** The contact of a message, by all that it is known by. */
export type MessageContact = AnswerOf<typeof messageContactSchema>;

/** Until when an agent keeps silent in the conversation; null where it does not. */
export const pauseField = { aiAgentPausedUntil: instantSchema.nullable() };

/** The state of a message that a call has sent, queued or scheduled (decisions, section 5). */
export const sentMessageFields = {
  messageId: z.uuid(),
  providerMessageId: z.string().nullable(),
  status: messageStatusSchema,
  scheduledFor: zonedInstantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  ...optionalHoldFields,
  ...fitFields,
  ...askedPaymentField,
  ...askedFields,
  ...ladderFields,
};

/** The fields of a provider's error besides the envelope. */
export const providerFailureFields = {
  details: z.object({
    code: z.string().optional(),
    message: z.string().optional(),
    reason: z.string().optional(),
    rungs: z.array(passedRungSchema).meta({
      description: "The rungs of `outsideWindow`, of which none was left.",
    }).optional(),
  }),
  retryable: z.boolean(),
};

/** The response of a provider's error, by the members that it adds to the envelope. */
export function refusalOf(failure: z.ZodObject): z.ZodObject {
  return z.object({
    success: z.literal(false),
    error: z.string(),
    message: z.string(),
    ...failure.shape,
  });
}

type DeepReadonly<Value> = Value extends readonly (infer Item)[] ? readonly DeepReadonly<Item>[]
  : Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

/** The type of a response, by its schema. Responses are never changed, so every level is read-only. */
export type AnswerOf<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;
