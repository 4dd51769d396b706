/**
 * Converts our message into a request of Evolution API v2 (POST /message/<verb>/<instance name>).
 */
import type { EvolutionConfig } from "./config.ts";
import { unknownContactRequest, unrenderedTemplate } from "../gateway_content.ts";
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
  const { verb, members } = toVerb(message.content);
  const delay = toEvolutionDelayMs(message.delayTypingMs);
  return {
    path: `/message/${verb}/${encodeURIComponent(config.instanceName)}`,
    body: { number: message.to, ...members, ...(delay === 0 ? {} : { delay }) },
  };
}

/** How long Evolution will show typing before it sends and answers: at most 20,000 ms. */
export function toEvolutionDelayMs(delayTypingMs: number | undefined): number {
  return Math.min(Math.max(Math.ceil(delayTypingMs ?? 0), 0), MAX_TYPING_MS);
}

function toVerb(content: MessageContent): Verb {
  switch (content.messageType) {
    case "text":
      return { verb: "sendText", members: { text: content.message } };
    case "image":
    case "video":
      return { verb: "sendMedia", members: toPicture(content) };
    case "audio":
      return { verb: "sendWhatsAppAudio", members: { audio: content.mediaUrl } };
    case "document":
      return { verb: "sendMedia", members: toDocument(content) };
    case "option_list":
      return { verb: "sendList", members: toList(content) };
    case "contact_request":
      throw unknownContactRequest();
    case "template":
      throw unrenderedTemplate();
  }
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
  const rows = optionList.options.map(({ id, title, description }) => ({
    rowId: id,
    title,
    // Ordinary sessions refuse an empty description. The Cloud API channel fails without a
    // description.
    description: description || title,
  }));
  return {
    title: optionList.title,
    description: message,
    // The footer is required. We have none to send, and Evolution accepts an empty one.
    footerText: "",
    buttonText: optionList.buttonLabel,
    sections: [{ title: optionList.title, rows }],
  };
}
