/**
 * Converts our message into a request of WAHA (page Send messages). Its three engines take the same
 * bodies; where one lacks a call, it answers 422.
 */
import { listSections } from "../../model/content_parts.ts";
import { sanitizePhone } from "../../model/phone.ts";
import { uncarriedContent, unrenderedTemplate } from "../gateway_content.ts";
import { readExtension, readFilename, readMimetype } from "../media_type.ts";
import { contentKinds, type ContentOf, type MessageContent } from "../../model/message_content.ts";
import type { OutboundMessage } from "../provider.ts";
import type { JsonCall } from "../http/call.ts";
import { optionalMember, type ProviderRequest } from "../http/provider_request.ts";
import type { WahaConfig } from "./config.ts";
import { parseWahaId, toChatId, writeWahaId } from "./message_id.ts";

/** One call, its path below the base URL. */
export interface WahaCall {
  readonly method: NonNullable<JsonCall["method"]>;
  readonly path: string;
  /** Undefined for a call without a body. */
  readonly body: ProviderRequest["body"] | undefined;
}

/**
 * Builds the request that sends `message`.
 *
 * @throws Error for a template, and for a kind that `fitWahaContent` refuses: a defect.
 */
export function toWahaRequest(message: OutboundMessage, { session }: WahaConfig): WahaCall {
  const { content, to } = message;
  if (content.messageType === "reaction") return toReaction(message, content, session);
  const { verb, members } = toVerb(content);
  return {
    method: "POST",
    path: `/api/${verb}`,
    body: { session, chatId: toChatId(to), ...members, ...toQuoted(message) },
  };
}

/** `PUT`, and without a chat: the full id of the message names it. */
function toReaction(
  { to, quotedProviderMessageId = "", quotedIsOurs = false }: OutboundMessage,
  { reaction: { emoji } }: ContentOf<"reaction">,
  session: string,
): WahaCall {
  const messageId = writeWahaId(toChatId(to), quotedProviderMessageId, quotedIsOurs);
  return {
    method: "PUT",
    path: "/api/reaction",
    body: { session, messageId, reaction: emoji ?? "" },
  };
}

/** Every send takes `reply_to`, the full id of the message that it answers. */
function toQuoted(
  { to, quotedProviderMessageId: id, quotedIsOurs = false }: OutboundMessage,
): Readonly<Record<string, string>> {
  if (id === undefined) return {};
  return { reply_to: writeWahaId(toChatId(to), parseWahaId(id).bare, quotedIsOurs) };
}

interface Verb {
  readonly verb: string;
  readonly members: Readonly<Record<string, unknown>>;
}

function toVerb(content: Exclude<MessageContent, ContentOf<"reaction">>): Verb {
  switch (content.messageType) {
    case "text":
      return {
        verb: "sendText",
        members: { text: content.message, ...optionalMember("linkPreview", content.linkPreview) },
      };
    case "image":
      return { verb: "sendImage", members: toPicture(content, "image/jpeg") };
    case "video":
      return { verb: "sendVideo", members: toPicture(content, "video/mp4") };
    case "audio":
    case "voice":
      return { verb: "sendVoice", members: toSound(content) };
    case "sticker":
      return {
        verb: "sendSticker",
        members: { file: { mimetype: "image/webp", url: content.mediaUrl } },
      };
    case "document":
      return { verb: "sendFile", members: toDocument(content) };
    case "location":
      return { verb: "sendLocation", members: toLocation(content) };
    case "contacts":
      return {
        verb: "sendContactVcard",
        members: { contacts: content.contacts.map((card) => ({ vcard: writeCard(card) })) },
      };
    case "option_list":
      return { verb: "sendList", members: { message: toList(content) } };
    case "buttons":
    case "link_button":
    case "location_request":
    case "contact_request":
    case "payment_request":
    case "payment_status":
      throw uncarriedContent(content);
    case "template":
      throw unrenderedTemplate();
  }
}

function toPicture(
  { mediaUrl, message }: ContentOf<"image" | "video">,
  usualType: string,
): Readonly<Record<string, unknown>> {
  const mimetype = readMimetype(readExtension(mediaUrl)) ?? usualType;
  return { file: { mimetype, url: mediaUrl }, ...optionalMember("caption", message) };
}

/**
 * WhatsApp plays voice messages in Opus alone. WAHA converts any other sound with `convert` (page Send
 * messages, "Media - Convert Voice").
 */
function toSound({ mediaUrl }: ContentOf<"audio" | "voice">): Readonly<Record<string, unknown>> {
  const extension = readExtension(mediaUrl) ?? "";
  return {
    file: { mimetype: "audio/ogg; codecs=opus", url: mediaUrl },
    convert: !contentKinds.voice.fileTypes.some((type) => type === extension),
  };
}

function toDocument(
  { mediaUrl, mediaFilename, message }: ContentOf<"document">,
): Readonly<Record<string, unknown>> {
  const mimetype = readMimetype(readExtension(mediaUrl, mediaFilename));
  return {
    file: {
      mimetype: mimetype ?? "application/octet-stream",
      url: mediaUrl,
      filename: readFilename(mediaUrl, mediaFilename) ?? "document",
    },
    ...optionalMember("caption", message),
  };
}

/** A title is required: where we have none, the coordinates stand there. */
function toLocation({ location }: ContentOf<"location">): Readonly<Record<string, unknown>> {
  const { latitude, longitude, name } = location;
  return { latitude, longitude, title: name ?? `${latitude}, ${longitude}` };
}

/** The card as a vCard (RFC 2426), which WAHA passes on as it is. `waid` makes a phone one to write to. */
function writeCard(
  { name, phones, emails = [], organization, urls = [] }: ContentOf<"contacts">["contacts"][number],
): string {
  return [
    ...["BEGIN:VCARD", "VERSION:3.0", `FN:${escapeValue(name)}`],
    ...(organization === undefined ? [] : [`ORG:${escapeValue(organization)};`]),
    ...phones.map((phone) => {
      const digits = sanitizePhone(phone);
      return `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`;
    }),
    ...emails.map((email) => `EMAIL;type=INTERNET:${escapeValue(email)}`),
    ...urls.map((url) => `URL:${escapeValue(url)}`),
    "END:VCARD",
  ].join("\n");
}

/** A value in one line: a line break of its own would begin another member. */
function escapeValue(text: string): string {
  return text.replace(/[\\,;]/g, "\\$&").replace(/\r\n|[\r\n]/g, "\\n");
}

/** `footer` is not ours to give: a list has none here. */
function toList({ message, optionList }: ContentOf<"option_list">): Record<string, unknown> {
  return {
    title: optionList.title,
    description: message,
    button: optionList.buttonLabel,
    sections: listSections(optionList).map((section) => ({
      title: section.title ?? optionList.title,
      rows: section.options.map(({ id, title, description }) => ({
        title,
        rowId: id,
        description: description ?? null,
      })),
    })),
  };
}
