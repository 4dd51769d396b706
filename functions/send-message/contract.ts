import * as z from "zod";
import { instantSchema } from "../../shared/model/instant.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import {
  fieldsOf,
  isMediaType,
  type MessageType,
  messageTypes,
} from "../../shared/model/message_content.ts";
import { checkMediaUrl, lowerScheme } from "../../shared/model/media_url.ts";
import { metadataSchema } from "../../shared/model/metadata.ts";
import { purposeSchema } from "../../shared/model/purpose.ts";
import {
  assignToSchema,
  cardIdSchema,
  findRecipientIssues,
  instanceIdSchema,
  recipientFields as targetFields,
  sentBySchema,
  visibleTextSchema,
} from "../../shared/model/request_fields.ts";
import {
  type AnswerOf,
  assignmentFields,
  providerFailureFields,
  sentMessageFields,
  successField,
} from "../../shared/model/response_fields.ts";

const optionSchema = z.object({
  id: z.string().min(1).max(200).optional(),
  title: visibleTextSchema(1_000),
  description: z.string().max(1_000).optional(),
});

/** Specification, section 2; a missing `id` is derived from the position. */
const optionListSchema = z.object({
  title: visibleTextSchema(1_000),
  buttonLabel: visibleTextSchema(1_000),
  options: z.array(optionSchema).min(1).max(10),
});

/** The message types of send-message. Templates have an endpoint of their own. */
export type SendableType = Exclude<MessageType, "template">;

export const sendableTypes: readonly SendableType[] = messageTypes.filter((type) =>
  type !== "template"
);

const messageTypeSchema = z.enum(sendableTypes);

/** POST /functions/v1/send-message (specification 4.4; decisions, section 5). */
export const sendMessageSchema = z.object({
  instanceId: instanceIdSchema,
  ...targetFields,
  messageType: messageTypeSchema.optional(),
  message: visibleTextSchema(65_536).optional(),
  mediaUrl: z.string().min(1).max(2_048).overwrite(lowerScheme).optional(),
  mediaFilename: z.string().min(1).max(255).optional(),
  optionList: optionListSchema.optional(),
  cardId: cardIdSchema.optional(),
  metadata: metadataSchema.optional(),
  purpose: purposeSchema,
  delayMessage: z.number().min(0).max(86_400).optional(),
  delayTyping: z.number().min(0).max(60_000).optional(),
  assignTo: assignToSchema.optional(),
  portfolio: z.boolean().optional(),
  queued: z.boolean().optional(),
  intervalSeconds: z.number().int().min(10).max(3_600).optional(),
  sentBy: sentBySchema.optional(),
});

export type SendMessageRequest = z.infer<typeof sendMessageSchema>;

type LooseRequest = Readonly<Record<string, unknown>>;

/**
 * Whether a call only assigns: it has `assignTo` and neither `message` nor `mediaUrl`, regardless
 * of its other fields (specification 4.4, rule 2).
 */
export function isAssignmentOnly(request: Readonly<Record<string, unknown>>): boolean {
  return request["assignTo"] !== undefined && request["message"] === undefined &&
    request["mediaUrl"] === undefined;
}

/** Requires one contact, and checks rules between the other fields, by `messageType`. */
export const checkSendMessage: CrossCheck = (request) => [
  ...findRecipientIssues(request),
  ...checkMessage(request),
];

const checkMessage: CrossCheck = (request) => {
  if (isAssignmentOnly(request)) return [];
  const isPresent = (field: string): boolean => request[field] !== undefined;
  if (!["messageType", "message", "mediaUrl", "optionList"].some(isPresent)) {
    return [{
      path: "message",
      message:
        "has nothing to send and nothing to assign: set message, mediaUrl, optionList or assignTo",
    }];
  }
  const missing = { path: "messageType", message: "is required when there is content to send" };
  return [...(isPresent("messageType") ? [] : [missing]), ...checkContent(request)];
};

/** Fields that are rejected with a message type that does not have them. */
const exclusiveFields = ["message", "mediaUrl", "optionList"] as const;

function foreignFields(type: SendableType): readonly string[] {
  const { needs, takes } = fieldsOf(type);
  return exclusiveFields.filter((field) => !needs.includes(field) && !takes.includes(field));
}

function checkContent(request: LooseRequest): Issue[] {
  const type = messageTypeSchema.safeParse(request["messageType"]).data;
  return [
    ...(type === undefined ? [] : checkFields(type, request)),
    ...checkMedia(type, request["mediaUrl"]),
    ...checkOptionIds(request["optionList"]),
  ];
}

function checkFields(type: SendableType, request: LooseRequest): Issue[] {
  const missing = fieldsOf(type).needs.filter((field) => request[field] === undefined);
  const foreign = foreignFields(type).filter((field) => request[field] !== undefined);
  return [
    ...missing.map((path) => ({ path, message: `is required for messageType ${type}` })),
    ...foreign.map((path) => ({ path, message: `cannot be sent with messageType ${type}` })),
  ];
}

/** Checks the URL for an unknown type as a document's, because a document may be any file. */
function checkMedia(type: SendableType = "document", mediaUrl: unknown): Issue[] {
  if (typeof mediaUrl !== "string" || !isMediaType(type)) return [];
  const issue = checkMediaUrl(mediaUrl, type);
  return issue === null ? [] : [{ path: "mediaUrl", message: issue.message }];
}

const optionIdsSchema = z.object({ options: z.array(optionSchema.pick({ id: true })) });

/** Checks that ids are unique, independently of other issues of the list. */
function checkOptionIds(optionList: unknown): Issue[] {
  const parsed = optionIdsSchema.safeParse(optionList);
  if (!parsed.success) return [];
  const ids = parsed.data.options.map(optionId);
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index
      ? []
      : [{ path: `optionList.options.${index}.id`, message: "is not unique in the list" }]
  );
}

/** Returns the option's id, or its position (from 1) when it has none. */
export function optionId(option: { readonly id?: string | undefined }, index: number): string {
  return option.id ?? String(index + 1);
}

const recipientFields = {
  contactId: z.uuid(),
  conversationId: z.uuid(),
  aiAgentPausedUntil: instantSchema.nullable(),
};

const assignmentSchema = z.object(assignmentFields);

/** The members of a provider error. The message is already recorded. */
export const sendMessageFailureSchema = z.object({
  ...recipientFields,
  ...z.object(sentMessageFields).partial().shape,
  assignment: assignmentSchema.optional(),
  ...providerFailureFields,
});

/** The response for a call with a message. `mode` tells when the message is sent. */
const messageAnswer = z.object({
  ...successField,
  ...recipientFields,
  ...sentMessageFields,
  assignment: assignmentSchema.optional(),
});

export const sendMessageResponseSchema = z.discriminatedUnion("mode", [
  messageAnswer.extend({ mode: z.literal("sent") }),
  messageAnswer.extend({ mode: z.literal("queued") }),
  messageAnswer.extend({ mode: z.literal("scheduled") }),
  z.object({
    ...successField,
    mode: z.literal("assign_only"),
    ...recipientFields,
    assignment: assignmentSchema,
  }),
]);

export type SendMessageResponse = AnswerOf<typeof sendMessageResponseSchema>;
