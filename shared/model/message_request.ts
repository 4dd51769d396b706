/** A message as a request gives it: its fields, and the rules between them by `messageType`. */
import * as z from "zod";
import type { Issue } from "./errors.ts";
import { checkMediaUrl, lowerScheme } from "./media_url.ts";
import {
  type ContentField,
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
}).meta({ description: "The options to choose from." });

/** The message types of send-message. Templates have an endpoint of their own. */
export type SendableType = Exclude<MessageType, "template">;

export const sendableTypes: readonly SendableType[] = messageTypes.filter((type) =>
  type !== "template"
);

const messageTypeSchema = z.enum(sendableTypes);

/** The fields of all contents that a call can give. */
type RequestedField = Exclude<ContentField, "template">;

/** Which of these a call needs depends on `messageType`: see `contentKinds`. */
const contentFields = {
  message: visibleTextSchema(65_536).optional(),
  mediaUrl: z.string().min(1).max(2_048).overwrite(lowerScheme).optional(),
  mediaFilename: z.string().min(1).max(255).optional(),
  optionList: optionListSchema.optional(),
} satisfies { readonly [Field in RequestedField]: z.ZodType };

/** The fields that say what is sent. */
export const messageFields = {
  messageType: messageTypeSchema.optional(),
  mediaId: z.uuid().optional(),
  ...contentFields,
};

const messageRequestSchema = z.object(messageFields);
/** The valid message of a request. */
export type MessageRequest = z.infer<typeof messageRequestSchema>;

type LooseRequest = Readonly<Record<string, unknown>>;

export const requestedFields = Object.keys(contentFields) as readonly RequestedField[];

/** Fields of which a call sends nothing alone, and that it may give in vain. */
const ignoredFields: readonly RequestedField[] = ["mediaFilename"];

/** Fields of which at least one is given where a call has something to send. */
export const contentFieldNames: readonly string[] = [
  ...requestedFields.filter((field) => !ignoredFields.includes(field)),
  "mediaId",
];

/**
 * Fields that begin a content: beside `assignTo` a call without any of them only assigns. What needs a
 * `message` begins with it alone (specification 4.4, rule 2).
 */
export const leadingFields: ReadonlySet<string> = new Set<string>(
  [
    "mediaId",
    ...sendableTypes.flatMap((type): readonly string[] => {
      const { needs } = fieldsOf(type);
      return needs.includes("message") ? ["message"] : needs;
    }),
  ],
);

function foreignFields(type: SendableType): readonly string[] {
  const own: readonly string[] = listFields(type);
  return contentFieldNames.filter((field) => !own.includes(field));
}

/** The fields that a call of this type may give. */
export function listFields(type: SendableType): readonly (RequestedField | "mediaId")[] {
  const { needs, takes } = fieldsOf(type);
  const own = requestedFields.filter((field) => needs.includes(field) || takes.includes(field));
  return isMediaType(type) ? [...own, "mediaId"] : own;
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
  const { messageType, optionList, mediaId: _, ...fields } = request;
  if (messageType === undefined) throw new Error("a message has no type");
  return toMessageContent(messageType, {
    ...fields,
    optionList: optionList === undefined ? undefined : {
      ...optionList,
      options: optionList.options.map((option, index) => ({
        ...option,
        id: optionId(option, index),
      })),
    },
  });
}

type Fill = (text: string) => string;
type RequestedContent = z.infer<z.ZodObject<typeof contentFields>>;

/** How the texts of a field are filled. What is no text stays as it is. */
const textFillers: {
  readonly [Field in RequestedField]: (
    value: NonNullable<RequestedContent[Field]>,
    fill: Fill,
  ) => RequestedContent[Field];
} = {
  message: (text, fill) => fill(text),
  mediaUrl: (url) => url,
  mediaFilename: (name, fill) => fill(name),
  optionList: ({ title, buttonLabel, options }, fill) => ({
    title: fill(title),
    buttonLabel: fill(buttonLabel),
    options: options.map((option) => ({
      ...option,
      title: fill(option.title),
      ...(option.description === undefined ? {} : { description: fill(option.description) }),
    })),
  }),
};

/** A message with each text of its content as `fill` gives it. */
export function mapTexts(request: MessageRequest, fill: Fill): MessageRequest {
  const filled = requestedFields.filter((field) => request[field] !== undefined).map((field) => {
    const fillField = textFillers[field] as (value: unknown, fill: Fill) => unknown;
    return [field, fillField(request[field], fill)];
  });
  return { ...request, ...Object.fromEntries(filled) };
}
