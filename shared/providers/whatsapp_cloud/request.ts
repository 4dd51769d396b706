/**
 * Converts our message into a Cloud API request (page Messages, POST /{version}/{phone number
 * id}/messages).
 */
import { listSections } from "../../model/content_parts.ts";
import { possiblePhonePattern, sanitizePhone } from "../../model/phone.ts";
import { readFilename } from "../media_type.ts";
import type { ContentOf, MediaContent } from "../../model/message_content.ts";
import { isUserId, readGroupId } from "../recipient.ts";
import type { OutboundMessage } from "../provider.ts";
import { optionalMember, type ProviderRequest } from "../http/provider_request.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphPath } from "./graph.ts";
import { chooseMediaType } from "./media.ts";
import { toOrderDetails, toOrderStatus } from "./payment.ts";

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
      ...toContext(message),
      ...optionalMember("category", message.category),
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

/** A template takes no quotation, and a reaction names its message itself. */
function toContext(
  { content, quotedProviderMessageId }: OutboundMessage,
): Record<string, unknown> {
  const { messageType } = content;
  return quotedProviderMessageId === undefined || messageType === "template" ||
      messageType === "reaction"
    ? {}
    : { context: { message_id: quotedProviderMessageId } };
}

function toContentMembers(
  { content, uploadId, quotedProviderMessageId }: OutboundMessage,
): Record<string, unknown> {
  switch (content.messageType) {
    case "reaction": {
      const { emoji } = content.reaction;
      const reaction = { message_id: quotedProviderMessageId, emoji: emoji ?? "" };
      return { type: "reaction", reaction };
    }
    case "text":
      return {
        type: "text",
        text: { body: content.message, ...optionalMember("preview_url", content.linkPreview) },
      };
    case "image":
    case "video":
    case "audio":
    case "document":
    case "sticker":
    case "voice":
      return toMediaMembers(content, uploadId);
    case "location":
      return { type: "location", location: toLocation(content) };
    case "contacts":
      return { type: "contacts", contacts: content.contacts.map(toCard) };
    case "option_list":
      return { type: "interactive", interactive: toListMessage(content) };
    case "buttons":
      return { type: "interactive", interactive: toButtons(content, uploadId) };
    case "link_button":
      return { type: "interactive", interactive: toLinkButton(content) };
    case "location_request":
      return { type: "interactive", interactive: toLocationRequest(content) };
    case "contact_request":
      return { type: "interactive", interactive: toContactRequest(content) };
    case "payment_request":
      return { type: "interactive", interactive: toOrderDetails(content) };
    case "payment_status":
      return { type: "interactive", interactive: toOrderStatus(content) };
    case "template":
      return { type: "template", template: withHeaderFile(toTemplate(content), uploadId) };
  }
}

/** A template whose header is a file of ours names the channel's id of it, in place of the link. */
function withHeaderFile<Template extends { readonly components?: readonly unknown[] | undefined }>(
  template: Template,
  uploadId: string | undefined,
): Template {
  if (uploadId === undefined) return template;
  const components = (template.components ?? []).map((component) => {
    const { type, parameters } = component as { type?: unknown; parameters?: readonly unknown[] };
    if (type !== "header") return component;
    return {
      ...component as object,
      parameters: parameters?.map((parameter) => {
        const { type: kind } = parameter as { readonly type: string };
        const { link: _ours, ...file } = (parameter as Record<string, object>)[kind] as {
          readonly link?: string;
        };
        return { type: kind, [kind]: { ...file, id: uploadId } };
      }),
    };
  });
  return { ...template, components };
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
      ...(mediaType === "audio" || mediaType === "sticker"
        ? {}
        : optionalMember("caption", caption)),
      ...optionalMember("filename", filename),
      ...(content.messageType === "voice" ? { voice: true } : {}),
    },
  };
}

function toLocation({ location }: ContentOf<"location">): Record<string, unknown> {
  const { latitude, longitude, name, address } = location;
  return {
    latitude,
    longitude,
    ...optionalMember("name", name),
    ...optionalMember("address", address),
  };
}

/** A card. A name needs a part beside `formatted_name`. */
function toCard(
  { name, phones, emails = [], organization, urls = [] }: ContentOf<"contacts">["contacts"][number],
): Record<string, unknown> {
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map(toCardPhone),
    ...(emails.length === 0 ? {} : { emails: emails.map((email) => ({ email })) }),
    ...(organization === undefined ? {} : { org: { company: organization } }),
    ...(urls.length === 0 ? {} : { urls: urls.map((url) => ({ url })) }),
  };
}

/** A phone without `wa_id` is shown with "invite" in place of "message": one with a country code has it. */
function toCardPhone(phone: string): Record<string, unknown> {
  const isDigits = possiblePhonePattern.test(phone);
  return {
    phone: isDigits ? `+${phone}` : phone,
    ...(isDigits || phone.startsWith("+") ? { wa_id: sanitizePhone(phone) } : {}),
  };
}

function toListMessage({ message, optionList }: ContentOf<"option_list">): Record<string, unknown> {
  const { title, buttonLabel, sections } = optionList;
  // A section's title is required only if there are several sections.
  const isSectionTitle = sections === undefined && [...title].length <= SECTION_TITLE_MAX;
  return {
    type: "list",
    ...(isSectionTitle ? {} : { header: { type: "text", text: title } }),
    body: { text: message },
    action: {
      button: buttonLabel,
      sections: listSections(optionList).map((section) => ({
        ...optionalMember("title", isSectionTitle ? title : section.title),
        rows: section.options.map(({ id, title, description }) => ({
          id,
          title,
          ...optionalMember("description", description),
        })),
      })),
    },
  };
}

function toButtons(
  content: ContentOf<"buttons">,
  uploadId: string | undefined,
): Record<string, unknown> {
  return {
    type: "button",
    ...optionalMember("header", toHeader(content, uploadId)),
    body: { text: content.message },
    ...(content.footer === undefined ? {} : { footer: { text: content.footer } }),
    action: {
      buttons: content.buttons.map(({ id, title }) => ({ type: "reply", reply: { id, title } })),
    },
  };
}

function toHeader(
  { header, mediaUrl }: ContentOf<"buttons">,
  uploadId: string | undefined,
): Record<string, unknown> | undefined {
  if (header?.type === undefined) {
    return header?.text === undefined ? undefined : { type: "text", text: header.text };
  }
  const { type } = header;
  return { type, [type]: uploadId === undefined ? { link: mediaUrl } : { id: uploadId } };
}

function toLinkButton(
  { message, linkButton: { title, url } }: ContentOf<"link_button">,
): Record<string, unknown> {
  return {
    type: "cta_url",
    body: { text: message },
    action: { name: "cta_url", parameters: { display_text: title, url } },
  };
}

/** The channel words the button that sends the position (page Location request messages). */
function toLocationRequest({ message }: ContentOf<"location_request">): Record<string, unknown> {
  return {
    type: "location_request_message",
    body: { text: message },
    action: { name: "send_location" },
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
