/**
 * Converts our message into a Z-API request (pages send-text, send-image, send-video and others).
 */
import { instancePath } from "./address.ts";
import { listOptions } from "../../model/content_parts.ts";
import { sanitizePhone } from "../../model/phone.ts";
import { uncarriedContent, unrenderedTemplate } from "../gateway_content.ts";
import { readExtension, readFilename } from "../media_type.ts";
import type { ContentOf, MessageContent, OptionList } from "../../model/message_content.ts";
import type { OutboundMessage } from "../provider.ts";
import { optionalMember, type ProviderRequest } from "../http/provider_request.ts";
import type { ZapiConfig } from "./config.ts";
import { toPaymentVerb } from "./payment.ts";

const MAX_TYPING_SECONDS = 15;

/**
 * The default extension, which send-document requires. A media URL without an extension most often
 * leads to a generated PDF.
 */
const DEFAULT_EXTENSION = "pdf";

/**
 * Builds the request that sends `message`. Does not pass on our delays: `delayMessage` is the gap
 * to the next message in Z-API's queue, not a wait before this one.
 *
 * @throws Error for a template. Gateways never receive templates, so this is a defect.
 */
export function toZapiRequest(message: OutboundMessage, config: ZapiConfig): ProviderRequest {
  const { verb, members } = toVerb(message.content);
  const quoted = namesMessage(message.content) ? message.quotedProviderMessageId : undefined;
  const delayTyping = limitZapiTypingMs(message.delayTypingMs ?? 0, message.content) / 1_000;
  return {
    path: `${instancePath(config)}/${verb}`,
    body: {
      phone: message.to,
      ...members,
      ...optionalMember("messageId", quoted),
      ...(delayTyping === 0 ? {} : { delayTyping }),
    },
  };
}

interface Verb {
  readonly verb: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Whether the page of this message names `messageId`, which quotes another message. */
export function takesReply({ messageType }: MessageContent): boolean {
  return repliableTypes.has(messageType);
}

const repliableTypes: ReadonlySet<string> = new Set<MessageContent["messageType"]>([
  ...["text", "image", "video", "document", "location", "contacts", "sticker"] as const,
]);

/** A reaction names its message where others name the one that they answer. */
function namesMessage(content: MessageContent): boolean {
  return takesReply(content) || content.messageType === "reaction";
}

function toVerb(content: MessageContent): Verb {
  switch (content.messageType) {
    case "reaction": {
      const { emoji } = content.reaction;
      return emoji === null
        ? { verb: "send-remove-reaction", members: {} }
        : { verb: "send-reaction", members: { reaction: emoji } };
    }
    case "text":
      return { verb: "send-text", members: { message: content.message } };
    case "image":
    case "video":
      return {
        verb: `send-${content.messageType}`,
        members: {
          [content.messageType]: content.mediaUrl,
          ...optionalMember("caption", content.message),
          ...(content.viewOnce === true ? { viewOnce: true } : {}),
        },
      };
    case "audio":
    case "voice":
      return { verb: "send-audio", members: { audio: content.mediaUrl } };
    case "sticker":
      return { verb: "send-sticker", members: { sticker: content.mediaUrl } };
    case "document":
      return toDocumentVerb(content);
    case "location":
      return { verb: "send-location", members: toLocation(content) };
    case "contacts":
      return { verb: "send-contacts", members: { contacts: content.contacts.map(toCard) } };
    case "option_list":
      return {
        verb: "send-option-list",
        members: { message: content.message, optionList: toOptionList(content.optionList) },
      };
    case "buttons":
      return toButtonVerb(content);
    case "link_button":
      return { verb: "send-button-actions", members: toLinkButton(content) };
    case "payment_request":
      return toPaymentVerb(content);
    case "location_request":
    case "contact_request":
    case "payment_status":
      throw uncarriedContent(content);
    case "template":
      throw unrenderedTemplate();
  }
}

/** Title and address are required: where we have none, the coordinates stand there. */
function toLocation({ location }: ContentOf<"location">): Record<string, string> {
  const { latitude, longitude, name, address } = location;
  const degrees = { latitude: writeDegrees(latitude), longitude: writeDegrees(longitude) };
  const coordinates = `${degrees.latitude}, ${degrees.longitude}`;
  return { title: name ?? coordinates, address: address ?? coordinates, ...degrees };
}

/** Without an exponent, which `String` gives a position within 10 cm of the equator or of Greenwich. */
function writeDegrees(degrees: number): string {
  return degrees.toLocaleString("en", { maximumFractionDigits: 15, useGrouping: false });
}

function toCard(
  { name, phones }: ContentOf<"contacts">["contacts"][number],
): Record<string, unknown> {
  return { name, phones: phones.map(sanitizePhone) };
}

/** The page has no header text and no footer: they stand in the text. */
function toButtonVerb({ message, header, footer, buttons, mediaUrl }: ContentOf<"buttons">): Verb {
  const words = [header?.text, message, footer].filter((text) => text !== undefined);
  const file = header?.type === "image" || header?.type === "video" ? header.type : undefined;
  return {
    verb: "send-button-list",
    members: {
      message: words.join("\n\n"),
      buttonList: {
        ...(file === undefined ? {} : { [file]: mediaUrl }),
        buttons: buttons.map(({ id, title }) => ({ id, label: title })),
      },
    },
  };
}

function toLinkButton(
  { message, linkButton: { title, url } }: ContentOf<"link_button">,
): Record<string, unknown> {
  return { message, buttonActions: [{ id: "1", type: "URL", url, label: title }] };
}

/** The call that sends a document, without its recipient. */
export function toDocumentVerb({ mediaUrl, mediaFilename, message }: ContentOf<"document">): Verb {
  const extension = readExtension(mediaUrl, mediaFilename) ?? DEFAULT_EXTENSION;
  return {
    verb: `send-document/${extension}`,
    members: {
      document: mediaUrl,
      ...optionalMember("fileName", readFilename(mediaUrl, mediaFilename)),
      ...optionalMember("caption", message),
    },
  };
}

/**
 * `description` is always present: Z-API's page lists it beside the title; only `id` is optional.
 */
function toOptionList(optionList: OptionList): Record<string, unknown> {
  const { title, buttonLabel } = optionList;
  return {
    title,
    buttonLabel,
    options: listOptions(optionList).map((option) => ({
      id: option.id,
      title: option.title,
      description: option.description ?? "",
    })),
  };
}

/**
 * How long Z-API shows typing before it sends: whole seconds, rounded up, at most 15. The result is
 * in milliseconds. Only send-text and send-audio support it.
 */
export function limitZapiTypingMs(delayTypingMs: number, { messageType }: MessageContent): number {
  if (messageType !== "text" && messageType !== "audio" && messageType !== "voice") return 0;
  return Math.min(Math.max(Math.ceil(delayTypingMs / 1_000), 0), MAX_TYPING_SECONDS) * 1_000;
}
