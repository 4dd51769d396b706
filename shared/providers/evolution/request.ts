/**
 * Converts our message into a request of Evolution API v2 (POST /message/<verb>/<instance name>).
 */
import type { EvolutionConfig } from "./config.ts";
import { listSections } from "../../model/content_parts.ts";
import { sanitizePhone } from "../../model/phone.ts";
import { uncarriedContent, unrenderedTemplate } from "../gateway_content.ts";
import { readExtension, readFilename, readMimetype } from "../media_type.ts";
import type { ContentOf, MessageContent } from "../../model/message_content.ts";
import type { OutboundMessage } from "../provider.ts";
import { optionalMember, type ProviderRequest } from "../http/provider_request.ts";

interface Verb {
  readonly verb: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** The default extension. A media URL without an extension most often leads to a generated PDF. */
const DEFAULT_EXTENSION = "pdf";

/**
 * The longest delay we request. Evolution sleeps inside the request, in steps of 20 s; we use one
 * step.
 */
const MAX_TYPING_MS = 20_000;

/**
 * Builds the request that sends `message`.
 *
 * @throws Error for a template. Gateways never receive templates, so this is a defect.
 */
export function toEvolutionRequest(
  message: OutboundMessage,
  config: EvolutionConfig,
): ProviderRequest {
  if (message.content.messageType === "reaction") {
    return toReaction(message, message.content, config);
  }
  const { verb, members } = toVerb(message.content);
  const delay = toEvolutionDelayMs(message.delayTypingMs);
  return {
    path: `/message/${verb}/${encodeURIComponent(config.instanceName)}`,
    body: {
      number: message.to,
      ...members,
      ...toQuoted(message),
      ...(delay === 0 ? {} : { delay }),
    },
  };
}

/** A reaction names its message by its whole key: with a wrong `fromMe` no phone shows it. */
function toReaction(
  { to, quotedProviderMessageId: id, quotedIsOurs: fromMe = false }: OutboundMessage,
  { reaction: { emoji } }: ContentOf<"reaction">,
  { instanceName }: EvolutionConfig,
): ProviderRequest {
  return {
    path: `/message/sendReaction/${encodeURIComponent(instanceName)}`,
    body: { key: { id, remoteJid: toJid(to), fromMe }, reaction: emoji ?? "" },
  };
}

/** The chat as WhatsApp addresses it: a hidden identity and a group are addresses already. */
export function toJid(address: string): string {
  return address.includes("@") ? address : `${address}@s.whatsapp.net`;
}

/** Evolution looks the quoted message up in its own database by the id. */
function toQuoted(
  { content, quotedProviderMessageId: id }: OutboundMessage,
): Readonly<Record<string, unknown>> {
  return id === undefined || !takesReply(content) ? {} : { quoted: { key: { id } } };
}

/** Sound and cards go without the quotation, silently. */
export function takesReply({ messageType }: MessageContent): boolean {
  return messageType !== "audio" && messageType !== "voice" && messageType !== "contacts";
}

/** How long Evolution will show typing before it sends and answers: at most 20,000 ms. */
export function toEvolutionDelayMs(delayTypingMs: number | undefined): number {
  return Math.min(Math.max(Math.ceil(delayTypingMs ?? 0), 0), MAX_TYPING_MS);
}

function toVerb(content: Exclude<MessageContent, ContentOf<"reaction">>): Verb {
  switch (content.messageType) {
    case "text":
      return {
        verb: "sendText",
        members: { text: content.message, ...optionalMember("linkPreview", content.linkPreview) },
      };
    case "image":
    case "video":
      return { verb: "sendMedia", members: toPicture(content) };
    case "audio":
    case "voice":
      return { verb: "sendWhatsAppAudio", members: { audio: content.mediaUrl } };
    case "sticker":
      return { verb: "sendSticker", members: { sticker: content.mediaUrl } };
    case "document":
      return { verb: "sendMedia", members: toDocument(content) };
    case "location":
      return { verb: "sendLocation", members: toLocation(content) };
    case "contacts":
      return { verb: "sendContact", members: { contact: content.contacts.map(toCard) } };
    case "option_list":
      return { verb: "sendList", members: toList(content) };
    case "buttons":
      return { verb: "sendButtons", members: toButtons(content) };
    case "link_button":
      return { verb: "sendButtons", members: toLinkButton(content) };
    case "location_request":
    case "contact_request":
    case "payment_request":
    case "payment_status":
      throw uncarriedContent(content);
    case "template":
      throw unrenderedTemplate();
  }
}

/** Name and address are required: where we have none, the coordinates stand there. */
function toLocation({ location }: ContentOf<"location">): Record<string, unknown> {
  const { latitude, longitude, name, address } = location;
  const coordinates = `${latitude}, ${longitude}`;
  return { latitude, longitude, name: name ?? coordinates, address: address ?? coordinates };
}

/** A card has one phone, e-mail and address of the web there. */
function toCard(
  { name, phones: [phone = ""], emails, organization, urls }: ContentOf<
    "contacts"
  >["contacts"][number],
): Record<string, unknown> {
  return {
    fullName: name,
    phoneNumber: sanitizePhone(phone),
    ...optionalMember("organization", organization),
    ...optionalMember("email", emails?.[0]),
    ...optionalMember("url", urls?.[0]),
  };
}

function toButtons(
  { message, header, footer, buttons, mediaUrl }: ContentOf<"buttons">,
): Record<string, unknown> {
  return {
    title: header?.text ?? "",
    description: message,
    ...optionalMember("footer", footer),
    ...(header?.type === "image" ? optionalMember("thumbnailUrl", mediaUrl) : {}),
    buttons: buttons.map(({ id, title }) => ({ type: "reply", displayText: title, id })),
  };
}

function toLinkButton(
  { message, linkButton: { title, url } }: ContentOf<"link_button">,
): Record<string, unknown> {
  return { title: "", description: message, buttons: [{ type: "url", displayText: title, url }] };
}

function toPicture(
  { messageType, mediaUrl, message }: ContentOf<"image" | "video">,
): Record<string, unknown> {
  return {
    mediatype: messageType,
    media: mediaUrl,
    ...optionalMember("mimetype", readMimetype(readExtension(mediaUrl))),
    ...optionalMember("caption", message),
  };
}

/**
 * Sends every file as a document, as requested: ordinary sessions accept any type as a document.
 */
function toDocument({ mediaUrl, mediaFilename, message }: ContentOf<"document">): Record<
  string,
  unknown
> {
  return {
    mediatype: "document",
    media: mediaUrl,
    ...optionalMember("mimetype", readMimetype(readExtension(mediaUrl, mediaFilename))),
    fileName: nameDocument(mediaUrl, mediaFilename),
    ...optionalMember("caption", message),
  };
}

/**
 * A file name with an extension. Evolution derives the MIME type from the extension: without one
 * the type becomes "false", and the send fails if the URL has none either.
 */
function nameDocument(mediaUrl: string, mediaFilename: string | undefined): string {
  const name = readFilename(mediaUrl, mediaFilename) ?? "document";
  return readExtension("", name) === undefined
    ? `${name}.${readExtension(mediaUrl, mediaFilename) ?? DEFAULT_EXTENSION}`
    : name;
}

function toList({ message, optionList }: ContentOf<"option_list">): Record<string, unknown> {
  return {
    title: optionList.title,
    description: message,
    // The footer is required. We have none to send, and Evolution accepts an empty one.
    footerText: "",
    buttonText: optionList.buttonLabel,
    sections: listSections(optionList).map((section) => ({
      title: section.title ?? optionList.title,
      rows: section.options.map(({ id, title, description }) => ({
        rowId: id,
        title,
        // Ordinary sessions refuse an empty description. The Cloud API channel fails without a
        // description.
        description: description || title,
      })),
    })),
  };
}
