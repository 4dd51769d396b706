/**
 * Converts our message into a Z-API request (pages send-text, send-image, send-video and others).
 */
import { unknownContactRequest, unrenderedTemplate } from "../gateway_content.ts";
import { readExtension, readFilename } from "../media_type.ts";
import type { ContentOf, MessageContent, OptionList } from "../../model/message_content.ts";
import type { OutboundMessage } from "../provider.ts";
import { optionalMember, type ProviderRequest } from "../http/provider_request.ts";
import type { ZapiConfig } from "./config.ts";

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
  const delayTyping = limitZapiTypingMs(message.delayTypingMs ?? 0, message.content) / 1_000;
  const instance = encodeURIComponent(config.gatewayInstanceId);
  const token = encodeURIComponent(config.token);
  return {
    path: `/instances/${instance}/token/${token}/${verb}`,
    body: { phone: message.to, ...members, ...(delayTyping === 0 ? {} : { delayTyping }) },
  };
}

interface Verb {
  readonly verb: string;
  readonly members: Readonly<Record<string, unknown>>;
}

function toVerb(content: MessageContent): Verb {
  switch (content.messageType) {
    case "text":
      return { verb: "send-text", members: { message: content.message } };
    case "image":
      return {
        verb: "send-image",
        members: { image: content.mediaUrl, ...optionalMember("caption", content.message) },
      };
    case "video":
      return {
        verb: "send-video",
        members: { video: content.mediaUrl, ...optionalMember("caption", content.message) },
      };
    case "audio":
      return { verb: "send-audio", members: { audio: content.mediaUrl } };
    case "document":
      return toDocumentVerb(content);
    case "option_list":
      return {
        verb: "send-option-list",
        members: { message: content.message, optionList: toOptionList(content.optionList) },
      };
    case "contact_request":
      throw unknownContactRequest();
    case "template":
      throw unrenderedTemplate();
  }
}

function toDocumentVerb({ mediaUrl, mediaFilename, message }: ContentOf<"document">): Verb {
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
function toOptionList({ title, buttonLabel, options }: OptionList): Record<string, unknown> {
  return {
    title,
    buttonLabel,
    options: options.map((option) => ({
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
  if (messageType !== "text" && messageType !== "audio") return 0;
  return Math.min(Math.max(Math.ceil(delayTypingMs / 1_000), 0), MAX_TYPING_SECONDS) * 1_000;
}
