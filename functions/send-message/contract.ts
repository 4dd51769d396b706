import { callerFields } from "../../shared/model/caller_fields.ts";
import { askField, findAskIssues } from "../../shared/model/ask.ts";
import * as z from "zod";
import type { CrossCheck } from "../../shared/http/validate.ts";
import {
  checkContent,
  contentFieldNames,
  messageFields,
} from "../../shared/model/message_request.ts";
import { outsideWindowField } from "../../shared/model/outside_window.ts";
import { purposeSchema } from "../../shared/model/purpose.ts";
import {
  assignToSchema,
  findRecipientIssues,
  idSchema,
  instanceIdSchema,
  recipientFields as targetFields,
  sentBySchema,
} from "../../shared/model/request_fields.ts";
import {
  delayMessageSchema,
  findTimingIssues,
  intervalSecondsSchema,
  timingFields,
} from "../../shared/model/timing.ts";
import {
  type AnswerOf,
  assignmentFields,
  pauseField,
  providerFailureFields,
  sentMessageFields,
  successField,
} from "../../shared/model/response_fields.ts";

/** POST /functions/v1/send-message (specification 4.4; decisions, section 5). */
export const sendMessageSchema = z.object({
  instanceId: instanceIdSchema,
  ...targetFields,
  ...messageFields,
  replyTo: idSchema.optional().meta({
    description: "Id of a message of the same contact, sent or received, that this one answers.",
  }),
  ...callerFields,
  purpose: purposeSchema,
  delayMessage: delayMessageSchema.optional(),
  delayTyping: z.number().min(0).max(60_000).optional(),
  assignTo: assignToSchema.optional(),
  portfolio: z.boolean().optional(),
  queued: z.boolean().optional(),
  intervalSeconds: intervalSecondsSchema.optional(),
  sentBy: sentBySchema.optional(),
  pauseAgent: z.boolean().optional(),
  ...timingFields,
  ...outsideWindowField,
  ...askField,
});

export type SendMessageRequest = z.infer<typeof sendMessageSchema>;

/**
 * Whether a call only assigns: it has `assignTo`, and names neither a type nor a part of a message
 * (specification 4.4, rule 2; decisions, section 5). One that names either sends, or lacks something.
 */
export function isAssignmentOnly(request: Readonly<Record<string, unknown>>): boolean {
  return request["assignTo"] !== undefined &&
    ["messageType", ...contentFieldNames].every((field) => request[field] === undefined);
}

/** Fields of a valid call that mean nothing beside the others. */
export function findIdleFields(request: SendMessageRequest): readonly string[] {
  return request.portfolio !== undefined && request.assignTo === undefined ? ["portfolio"] : [];
}

/** Requires one contact, and checks rules between the other fields, by `messageType`. */
export const checkSendMessage: CrossCheck = (request) => [
  ...findRecipientIssues(request),
  ...findTimingIssues(request),
  ...checkMessage(request),
  ...checkReaction(request),
  ...checkAsk(request),
];

/** A question needs a message that can ask it. */
const checkAsk: CrossCheck = (request) => {
  if (request["ask"] === undefined) return [];
  return isAssignmentOnly(request)
    ? [{ path: "ask", message: "needs a message to ask with" }]
    : findAskIssues(request["ask"], request);
};

/** A reaction goes at once, and answers nothing but the message that it names. */
const checkReaction: CrossCheck = (request) =>
  request["messageType"] !== "reaction" ? [] : notWithReaction
    .filter((path) => request[path] !== undefined && request[path] !== false)
    .map((path) => ({ path, message: "cannot be sent with messageType reaction" }));

const notWithReaction: readonly (keyof SendMessageRequest)[] = [
  ...["replyTo", "queued", "intervalSeconds", "delayMessage", "delayTyping"] as const,
  ...["sendAt", "expiresAt", "cancelKey", "cancelOn", "outsideWindow"] as const,
];

const checkMessage: CrossCheck = (request) => {
  if (isAssignmentOnly(request)) return [];
  const isPresent = (field: string): boolean => request[field] !== undefined;
  if (!["messageType", ...contentFieldNames].some(isPresent)) {
    const fields = contentFieldNames.join(", ");
    const message = `has nothing to send and nothing to assign: set ${fields} or assignTo`;
    return [{ path: "message", message }];
  }
  const missing = { path: "messageType", message: "is required when there is content to send" };
  return [...(isPresent("messageType") ? [] : [missing]), ...checkContent(request)];
};

const recipientFields = { contactId: z.uuid(), conversationId: z.uuid() };

const assignmentSchema = z.object(assignmentFields);

/** The members of a provider error. The message is already recorded. */
export const sendMessageFailureSchema = z.object({
  ...recipientFields,
  ...z.object(sentMessageFields).partial().shape,
  assignment: assignmentSchema.optional(),
  ...pauseField,
  ...providerFailureFields,
});

const answerFields = {
  ...recipientFields,
  ...sentMessageFields,
  assignment: assignmentSchema.optional(),
  ...pauseField,
};

/** `mode` says when the message is sent. */
export const sendMessageResponseSchema = z.discriminatedUnion("mode", [
  z.object({ ...successField, mode: z.literal("sent"), ...answerFields }),
  z.object({ ...successField, mode: z.literal("queued"), ...answerFields }),
  z.object({ ...successField, mode: z.literal("scheduled"), ...answerFields }),
  z.object({
    ...successField,
    mode: z.literal("assign_only"),
    ...recipientFields,
    assignment: assignmentSchema,
    ...pauseField,
  }),
]);

export type SendMessageResponse = AnswerOf<typeof sendMessageResponseSchema>;
