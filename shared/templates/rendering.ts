import type { MessageContent } from "../model/message_content.ts";
import { writePaymentRequest } from "../model/numbered_text.ts";
import { mediaExtensionOf } from "../model/media_url.ts";
import type { FilledButton, FilledTemplate } from "../model/filled_template.ts";
import { withoutPaymentButtons } from "./payment_buttons.ts";

/**
 * The template as text: header, body, footer and the numbered buttons, separated by blank lines. The
 * text gets no markup, because a value could break it.
 */
export function renderTemplateText({ header, body, footer, buttons }: FilledTemplate): string {
  const parts = [
    header?.format === "TEXT" ? header.text : "",
    body.text,
    footer ?? "",
    buttons.map(renderButton).join("\n"),
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function renderButton({ text, url, phoneNumber }: FilledButton, index: number): string {
  const target = url ?? phoneNumber;
  return `${index + 1}. ${target === undefined ? text : `${text}: ${target}`}`;
}

/**
 * The template as a message that a gateway can carry: a text, or its header's file with the text as
 * caption. A video header goes as a document. A payment stands below the text, as that of a payment request does;
 * its Pix code is not in it. Null if the header's file is known only by its id at the
 * official channel's provider.
 */
export function renderForGateway(template: FilledTemplate): MessageContent | null {
  const { header, payment } = template;
  const text = renderTemplateText(withoutPaymentButtons(template));
  const message = payment === undefined ? text : writePaymentRequest({ message: text, payment });
  if (header === null || header.format === "TEXT") return { messageType: "text", message };
  const { link: mediaUrl, mediaId } = header.media;
  if (mediaUrl === undefined) return null;
  if (header.format === "IMAGE") return { messageType: "image", mediaUrl, message };
  const hasExtension = mediaExtensionOf(mediaUrl) !== null;
  const ownName = mediaId === undefined ? undefined : header.media.fileName;
  const mediaFilename = header.format === "VIDEO" ? "video.mp4" : "document.pdf";
  return {
    messageType: "document",
    mediaUrl,
    mediaFilename: ownName ?? (hasExtension ? undefined : mediaFilename),
    message,
  };
}
