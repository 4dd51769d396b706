/**
 * Converts our message into a Cloud API request (page Messages, POST /{version}/{phone number
 * id}/messages).
 */
import { readFilename } from "../media_type.ts";
import type { ContentOf, MediaContent } from "../../model/message_content.ts";
import { isUserId, readGroupId } from "../recipient.ts";
import type { OutboundMessage } from "../provider.ts";
import { optionalMember, type ProviderRequest } from "../http/provider_request.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphPath } from "./graph.ts";
import { chooseMediaType } from "./media.ts";

/** A longer title does not fit a section and becomes the header of the list message. */
const SECTION_TITLE_MAX = 24;

/**
 * Builds the request that sends `message`. Ignores `delayTypingMs`, because the Cloud API shows
 * typing only in reply to an inbound message id.
 *
 * @throws Error if the instance has no phone number id, or if `checkWhatsappCloudContent` would
 * refuse the content: a defect of the caller.
 */
export function toWhatsappCloudRequest(
  message: OutboundMessage,
  config: WhatsappCloudConfig,
): ProviderRequest {
  if (config.phoneNumberId === undefined) throw new Error("whatsapp_cloud: no phone number id");
  return {
    path: graphPath(config, config.phoneNumberId, "messages"),
    body: {
      messaging_product: "whatsapp",
      ...toRecipientMembers(message.to),
      ...toContentMembers(message),
      // Meta returns it in every status event of this message.
      biz_opaque_callback_data: message.messageId,
    },
  };
}

/**
 * A contact without a visible phone is addressed by the business-scoped user id, in `recipient`
 * (page Business-scoped user IDs).
 */
function toRecipientMembers(address: string): Record<string, string> {
  const groupId = readGroupId(address);
  if (groupId !== null) return { recipient_type: "group", to: groupId };
  return {
    recipient_type: "individual",
    ...(isUserId(address) ? { recipient: address } : { to: address }),
  };
}

function toContentMembers({ content, uploadId }: OutboundMessage): Record<string, unknown> {
  if ("mediaUrl" in content) return toMediaMembers(content, uploadId);
  switch (content.messageType) {
    case "text":
      return { type: "text", text: { body: content.message } };
    case "option_list":
      return { type: "interactive", interactive: toListMessage(content) };
    case "contact_request":
      return { type: "interactive", interactive: toContactRequest(content) };
    case "template":
      return { type: "template", template: toTemplate(content) };
  }
}

function toMediaMembers(
  content: MediaContent,
  uploadId: string | undefined,
): Record<string, unknown> {
  const mediaType = chooseMediaType(content);
  if (mediaType === undefined) throw new Error("whatsapp_cloud: WAV is not carried");
  const caption = "message" in content ? content.message : undefined;
  const filename = content.messageType === "document" && mediaType === "document"
    ? readFilename(content.mediaUrl, content.mediaFilename)
    : undefined;
  return {
    type: mediaType,
    [mediaType]: {
      ...(uploadId === undefined ? { link: content.mediaUrl } : { id: uploadId }),
      // Audio has no caption. With one, Meta would refuse the whole message.
      ...(mediaType === "audio" ? {} : optionalMember("caption", caption)),
      ...optionalMember("filename", filename),
    },
  };
}

function toListMessage(content: ContentOf<"option_list">): Record<string, unknown> {
  const { title, buttonLabel, options } = content.optionList;
  const rows = options.map(({ id, title, description }) => ({
    id,
    title,
    ...optionalMember("description", description),
  }));
  const isSectionTitle = [...title].length <= SECTION_TITLE_MAX;
  return {
    type: "list",
    ...(isSectionTitle ? {} : { header: { type: "text", text: title } }),
    body: { text: content.message },
    action: {
      button: buttonLabel,
      // A section's title is required only if there are several sections.
      sections: [isSectionTitle ? { title, rows } : { rows }],
    },
  };
}

/** The channel words the button that shares the number (page Request contact information). */
function toContactRequest({ message }: ContentOf<"contact_request">): Record<string, unknown> {
  const name = "request_contact_info";
  return { type: name, body: { text: message }, action: { name } };
}

function toTemplate({ template }: ContentOf<"template">): Record<string, unknown> {
  return {
    name: template.name,
    language: { code: template.language },
    ...(template.components.length === 0 ? {} : { components: template.components }),
  };
}
