/** A message as a request gives it: its fields, and the rules between them by `messageType`. */
import * as z from "zod";
import type { Issue } from "./errors.ts";
import { checkMediaUrl, lowerScheme } from "./media_url.ts";
import {
  fieldsOf,
  isMediaType,
  type MessageContent,
  type MessageType,
  messageTypes,
  toMessageContent,
} from "./message_content.ts";
import { visibleTextSchema } from "./request_fields.ts";

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

/** The fields that say what is sent. Which of them a call needs depends on `messageType`. */
export const messageFields = {
  messageType: messageTypeSchema.optional(),
  message: visibleTextSchema(65_536).optional(),
  mediaUrl: z.string().min(1).max(2_048).overwrite(lowerScheme).optional(),
  mediaId: z.uuid().optional(),
  mediaFilename: z.string().min(1).max(255).optional(),
  optionList: optionListSchema.optional(),
};

const messageRequestSchema = z.object(messageFields);
/** The valid message of a request. */
export type MessageRequest = z.infer<typeof messageRequestSchema>;

type LooseRequest = Readonly<Record<string, unknown>>;

/** Fields that are rejected with a message type that does not have them. */
const exclusiveFields = ["message", "mediaUrl", "optionList"] as const;

function foreignFields(type: SendableType): readonly string[] {
  const { needs, takes } = fieldsOf(type);
  const foreign = exclusiveFields.filter((field) =>
    !needs.includes(field) && !takes.includes(field)
  );
  return isMediaType(type) ? foreign : [...foreign, "mediaId"];
}

/** The issues of what a message holds, by its type. */
export function checkContent(request: LooseRequest): Issue[] {
  const type = messageTypeSchema.safeParse(request["messageType"]).data;
  return [
    ...(type === undefined ? [] : checkFields(type, request)),
    ...checkMedia(type, request["mediaUrl"]),
    ...checkOptionIds(request["optionList"]),
  ];
}

function checkFields(type: SendableType, request: LooseRequest): Issue[] {
  const missing = fieldsOf(type).needs.filter((field) =>
    request[field] === undefined && (field !== "mediaUrl" || request["mediaId"] === undefined)
  );
  const foreign = foreignFields(type).filter((field) => request[field] !== undefined);
  return [
    ...missing.map((path) => ({ path, message: describeMissing(path, type) })),
    ...foreign.map((path) => ({ path, message: `cannot be sent with messageType ${type}` })),
    ...(request["mediaId"] === undefined || request["mediaUrl"] === undefined
      ? []
      : [{ path: "mediaId", message: "cannot be sent with mediaUrl: send one of them" }]),
  ];
}

function describeMissing(field: string, type: SendableType): string {
  const required = `is required for messageType ${type}`;
  return field === "mediaUrl" ? `${required}, or the mediaId of an uploaded file` : required;
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

/** The option's id, or its position (from 1) when it has none. */
function optionId(option: { readonly id?: string | undefined }, index: number): string {
  return option.id ?? String(index + 1);
}

/**
 * The content of a valid request. A link to the file stands for a `mediaId`: give it as `mediaUrl`.
 *
 * @throws Error for a request without `messageType`: a defect, requests are checked before.
 */
export function toRequestedContent(request: MessageRequest): MessageContent {
  const { messageType, message, mediaUrl, mediaFilename, optionList } = request;
  if (messageType === undefined) throw new Error("a message has no type");
  return toMessageContent(messageType, {
    message,
    mediaUrl,
    mediaFilename,
    optionList: optionList === undefined ? undefined : {
      ...optionList,
      options: optionList.options.map((option, index) => ({
        ...option,
        id: optionId(option, index),
      })),
    },
  });
}
