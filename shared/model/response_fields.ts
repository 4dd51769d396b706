/** Fields that several responses share. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";
import { mediaStatuses } from "./media_status.ts";
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
};

/** The state of a message that a call has sent, queued or scheduled (decisions, section 5). */
export const sentMessageFields = {
  messageId: z.uuid(),
  providerMessageId: z.string().nullable(),
  status: messageStatusSchema,
  scheduledFor: instantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
};

/** The fields of a provider's error besides the envelope. */
export const providerFailureFields = {
  details: z.object({
    code: z.string().optional(),
    message: z.string().optional(),
    reason: z.string().optional(),
  }),
  retryable: z.boolean(),
};

type DeepReadonly<Value> = Value extends readonly (infer Item)[] ? readonly DeepReadonly<Item>[]
  : Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

/** The type of a response, by its schema. Responses are never changed, so every level is read-only. */
export type AnswerOf<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;
