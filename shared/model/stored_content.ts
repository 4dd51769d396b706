import type { MessageContent, OptionList, TemplateContent } from "./message_content.ts";

/** A message's content as the database keeps it, column by column. */
export interface StoredContent {
  readonly messageType: MessageContent["messageType"];
  readonly message: string | null;
  readonly mediaUrl: string | null;
  readonly mediaFilename: string | null;
  readonly optionList: OptionList | null;
  readonly template: TemplateContent | null;
}

/**
 * The content of a stored message.
 *
 * @throws Error for a row that lacks what its type needs: a defect, it was checked when written.
 */
export function toMessageContent(stored: StoredContent): MessageContent {
  const { messageType, message, mediaUrl, mediaFilename, optionList, template } = stored;
  const caption = message ?? undefined;
  switch (messageType) {
    case "text":
      return { messageType, message: requirePart(message) };
    case "image":
      return { messageType, mediaUrl: requirePart(mediaUrl), message: caption };
    case "audio":
      return { messageType, mediaUrl: requirePart(mediaUrl) };
    case "document":
      return {
        messageType,
        mediaUrl: requirePart(mediaUrl),
        mediaFilename: mediaFilename ?? undefined,
        message: caption,
      };
    case "option_list":
      return { messageType, message: requirePart(message), optionList: requirePart(optionList) };
    case "template":
      return { messageType, template: requirePart(template) };
  }
}

function requirePart<T>(value: T | null): T {
  if (value === null) throw new Error("a stored message lacks a part of its content");
  return value;
}
