import type { MessageContent } from "../model/message_content.ts";
import { mediaExtensionOf } from "../model/media_url.ts";
import type { FilledButton, FilledTemplate } from "../model/filled_template.ts";

/**
 * The template as text: header, body, footer and the numbered buttons, parted by blank lines. The
 * wording stands as it is, without markup of ours that a value could break.
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
 * The template as a gateway, which knows no templates, can carry it: a text, or its header's file
 * with the text as caption. A video goes as a document, the specification's way for MP4. Null for a
 * header whose file is only known by its id at the official channel's provider.
 */
export function renderForGateway(template: FilledTemplate): MessageContent | null {
  const message = renderTemplateText(template);
  const { header } = template;
  if (header === null || header.format === "TEXT") return { messageType: "text", message };
  const { link: mediaUrl } = header.media;
  if (mediaUrl === undefined) return null;
  if (header.format === "IMAGE") return { messageType: "image", mediaUrl, message };
  const hasExtension = mediaExtensionOf(mediaUrl) !== null;
  const mediaFilename = header.format === "VIDEO" ? "video.mp4" : "document.pdf";
  return {
    messageType: "document",
    mediaUrl,
    mediaFilename: hasExtension ? undefined : mediaFilename,
    message,
  };
}
