/** Fields that several responses share. */
import * as z from "zod";
import { optionalHoldFields } from "./hold.ts";
import { instantSchema, zonedInstantSchema } from "./instant.ts";
import { fitFields } from "./message_fit.ts";
import { mediaStatuses } from "./media_status.ts";
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

/** What a message's record says of its file. */
export const mediaFields = {
  mediaId: z.uuid().nullable(),
  mediaStatus: z.enum(mediaStatuses).nullable(),
  mediaUrl: z.string().nullable(),
  mediaFilename: z.string().nullable(),
  mediaMimeType: z.string().nullable(),
  mediaSize: z.int().min(0).nullable(),
};

const authorSchema = z.object({
  name: z.string().optional(),
  phone: z.string().optional(),
  userId: z.string().optional(),
  username: z.string().optional(),
  lid: z.string().optional(),
});

/** What a member of a group has done with a message of ours. */
export const groupReceiptSchema = authorSchema.omit({ name: true, username: true }).extend({
  deliveredAt: instantSchema,
  readAt: instantSchema.nullable(),
});

export type GroupReceipt = AnswerOf<typeof groupReceiptSchema>;

/** What a message's record says of its place in a conversation, and of who wrote it. */
export const messageFactFields = {
  quotedMessageId: z.uuid().nullable(),
  quotedProviderMessageId: z.string().nullable(),
  isGroup: z.boolean(),
  chatName: z.string().nullable(),
  author: authorSchema.nullable(),
  sentBy: z.string().nullable(),
  isTypedOnPhone: z.boolean(),
};

/** The contact of a message, in its record and in its events. */
export const messageContactSchema = z.object({
  contactId: z.uuid(),
  phone: z.string().nullable(),
  name: z.string().nullable(),
  userId: z.string().nullable(),
  username: z.string().nullable(),
  lid: z.string().nullable(),
});

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
