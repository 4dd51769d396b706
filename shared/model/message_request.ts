/** A message as a request gives it: its fields, and the rules between them by `messageType`. */
import * as z from "zod";
import type { Issue } from "./errors.ts";
import { cleanFileName } from "./file_name.ts";
import { checkMediaUrl, lowerScheme } from "./media_url.ts";
import {
  type ContentField,
  fieldsOf,
  isMediaType,
  type MediaMessageType,
  type MessageContent,
  type MessageType,
  messageTypes,
  toMessageContent,
} from "./message_content.ts";
import {
  buttonsSchema,
  checkContacts,
  checkHeader,
  checkLinkButton,
  checkOptionIds,
  checkOptions,
  contactsRequestSchema,
  headerSchema,
  linkButtonSchema,
  locationRequestSchema,
  numberOptions,
  optionListSchema,
  reactionRequestSchema,
  renderingSchema,
  withOptionIds,
} from "./requested_parts.ts";
import { fillPayment } from "./fillable_payment.ts";
import { checkPayment, paymentRequestSchema, toPaymentPart } from "./requested_payment.ts";
import { visibleTextSchema } from "./request_fields.ts";

/** The message types of send-message. Templates have an endpoint of their own. */
export type SendableType = Exclude<MessageType, "template" | "payment_status">;

export const sendableTypes: readonly SendableType[] = messageTypes.filter((type) =>
  type !== "template" && type !== "payment_status"
);

const messageTypeSchema = z.enum(sendableTypes);

/** The fields of all contents that a call can give. */
export type RequestedField = Exclude<ContentField, "template" | "paymentStatus">;

/** Which of these a call needs depends on `messageType`: see `contentKinds`. */
const contentFields = {
  message: visibleTextSchema(65_536).optional(),
  mediaUrl: z.string().min(1).max(2_048).overwrite(lowerScheme).optional(),
  mediaFilename: z.string().min(1).max(255).optional(),
  location: locationRequestSchema.optional(),
  contacts: contactsRequestSchema.optional(),
  optionList: optionListSchema.optional(),
  buttons: buttonsSchema.optional(),
  header: headerSchema.optional(),
  footer: visibleTextSchema(1_000).optional().meta({
    description: "The small text below the buttons.",
  }),
  linkButton: linkButtonSchema.optional(),
  reaction: reactionRequestSchema.optional(),
  payment: paymentRequestSchema.optional(),
  rendering: renderingSchema.optional(),
  linkPreview: z.boolean().optional().meta({
    description: "`false` sends a link without its preview where the channel can.",
  }),
  viewOnce: z.boolean().optional().meta({
    description: "`true` lets the person see the file once only (Z-API).",
  }),
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

/** Fields that only say how a content goes. */
const sideFields: readonly RequestedField[] = ["rendering", "linkPreview", "viewOnce"];

/** Fields of which at least one is given where a call has something to send. */
export const contentFieldNames: readonly string[] = [
  ...requestedFields.filter((field) => ![...ignoredFields, ...sideFields].includes(field)),
  "mediaId",
];

const typedFields: readonly string[] = [...contentFieldNames, ...sideFields];

function foreignFields(type: SendableType): readonly string[] {
  const own: readonly string[] = listFields(type);
  return typedFields.filter((field) => !own.includes(field));
}

/** The fields that a call of this type may give. */
export function listFields(type: SendableType): readonly (RequestedField | "mediaId")[] {
  const { needs, takes } = fieldsOf(type);
  const own = requestedFields.filter((field) =>
    (needs.includes(field) || takes.includes(field)) && !isHeaderFile(type, field)
  );
  return isMediaType(type) ? [...own, "mediaId"] : own;
}

/** A file that a request names within `header`. */
function isHeaderFile(type: SendableType, field: RequestedField): boolean {
  return field === "mediaUrl" && !isMediaType(type);
}

/** The issues of what a message holds, by its type. */
export function checkContent(request: LooseRequest): Issue[] {
  const type = messageTypeSchema.safeParse(request["messageType"]).data;
  return [
    ...(type === undefined ? [] : checkFields(type, request)),
    ...checkMedia(type, request["mediaUrl"]),
    ...checkOptions(request["optionList"]),
    ...checkOptionIds(request["buttons"], "buttons"),
    ...checkHeader(request["header"]),
    ...checkLinkButton(request["linkButton"]),
    ...checkContacts(request["contacts"]),
    ...checkPayment(request["payment"]),
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

function checkMedia(type: SendableType | undefined, mediaUrl: unknown): Issue[] {
  if (typeof mediaUrl !== "string" || type !== undefined && !isMediaType(type)) return [];
  const issue = checkMediaUrl(mediaUrl, type);
  return issue === null ? [] : [{ path: "mediaUrl", message: issue.message }];
}

/** A file of ours in a request. */
export interface RequestedFile {
  readonly mediaId: string;
  /** The type of message that it is sent as. */
  readonly messageType: MediaMessageType;
  /** Where the request names it. */
  readonly path: "mediaId" | "header.mediaId" | "variables.header.mediaId";
}

/** The file of ours that a request names: as its own, or as its header's. */
export function requestedFile(
  { messageType, mediaId, header }: Partial<MessageRequest>,
): RequestedFile | null {
  if (messageType === undefined) return null;
  if (isMediaType(messageType)) {
    return mediaId === undefined ? null : { mediaId, messageType, path: "mediaId" };
  }
  const { type } = header ?? {};
  return messageType !== "buttons" || header?.mediaId === undefined || type === undefined
    ? null
    : { mediaId: header.mediaId, messageType: type, path: "header.mediaId" };
}

/**
 * The content of a valid request. A link to the file stands for a `mediaId`: give it as `fileUrl`.
 *
 * @throws Error for a request without `messageType`: a defect, requests are checked before.
 */
export function toRequestedContent(request: MessageRequest, fileUrl?: string): MessageContent {
  const { messageType, optionList, buttons, header, payment, rendering: _wish, ...fields } =
    request;
  if (messageType === undefined) throw new Error("a message has no type");
  return toMessageContent(messageType, {
    ...fields,
    mediaFilename: cleanFileName(fields.mediaFilename) ?? undefined,
    mediaUrl: fileUrl ?? header?.mediaUrl ?? fields.mediaUrl,
    header: header === undefined
      ? undefined
      : header.type === undefined
      ? { text: header.text }
      : { type: header.type },
    buttons: buttons === undefined ? undefined : numberOptions(buttons),
    optionList: optionList === undefined ? undefined : withOptionIds(optionList),
    payment: payment === undefined ? undefined : toPaymentPart(payment),
  });
}

type Fill = (text: string) => string;
/** The text of a field, as it is put in its place. */
type FillField = (text: string, field: RequestedField) => string;
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
  location: ({ name, address, ...place }, fill) => ({
    ...place,
    name: fillOptional(name, fill),
    address: fillOptional(address, fill),
  }),
  contacts: (cards, fill) =>
    cards.map((card) => ({
      ...card,
      name: fill(card.name),
      organization: fillOptional(card.organization, fill),
    })),
  optionList: ({ title, buttonLabel, options, sections }, fill) => ({
    title: fill(title),
    buttonLabel: fill(buttonLabel),
    options: options?.map((option) => fillOption(option, fill)),
    sections: sections?.map((section) => ({
      title: fill(section.title),
      options: section.options.map((option) => fillOption(option, fill)),
    })),
  }),
  buttons: (buttons, fill) => buttons.map((button) => ({ ...button, title: fill(button.title) })),
  header: (header, fill) => ({ ...header, text: fillOptional(header.text, fill) }),
  footer: (text, fill) => fill(text),
  linkButton: ({ title, url }, fill) => ({ title: fill(title), url }),
  reaction: (reaction) => reaction,
  payment: fillPayment,
  rendering: (rendering) => rendering,
  linkPreview: (isOn) => isOn,
  viewOnce: (isOn) => isOn,
};

function fillOptional(text: string | undefined, fill: Fill): string | undefined {
  return text === undefined ? undefined : fill(text);
}

function fillOption<
  Option extends { readonly title: string; readonly description?: string | undefined },
>(option: Option, fill: Fill): Option {
  return {
    ...option,
    title: fill(option.title),
    ...(option.description === undefined ? {} : { description: fill(option.description) }),
  };
}

/** A message with each text of its content as `fill` gives it. */
export function mapTexts(request: MessageRequest, fill: FillField): MessageRequest {
  const filled = requestedFields.filter((field) => request[field] !== undefined).map((field) => {
    const fillField = textFillers[field] as (value: unknown, fill: Fill) => unknown;
    return [field, fillField(request[field], (text) => fill(text, field))];
  });
  return { ...request, ...Object.fromEntries(filled) };
}
