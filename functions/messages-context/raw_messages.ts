import type { HistoryMessage } from "../../shared/database/rpcs/history.ts";
import type { ContentParts } from "../../shared/model/message_content.ts";
import { createLocalTimeWriter } from "../../shared/model/local_time.ts";
import type { RenderOptions } from "./conversation.ts";
import type { RawMessage } from "./contract.ts";

/**
 * Returns the rows of `format=raw`: each message as it is stored, ungrouped. Without `includeMeta`
 * omits ids and tags. Without `attachments` omits every reference to a media file. Writes instants
 * in the instance's time zone.
 */
export function formatRawMessages(
  messages: readonly HistoryMessage[],
  timeZone: string,
  { attachments, includeMeta }: RenderOptions,
): RawMessage[] {
  const writeLocalTime = createLocalTimeWriter(timeZone);
  const writeInstant = (instantMs: number | null): string | null =>
    instantMs === null ? null : writeLocalTime(instantMs);
  return messages.map((message) => ({
    ...(includeMeta ? describeMeta(message) : {}),
    direction: message.direction,
    status: message.status,
    message: message.message,
    ...describeFile(message, attachments),
    ...describeContent(message.content ?? {}, attachments),
    sentAt: writeLocalTime(message.sentAtMs),
    deliveredAt: writeInstant(message.deliveredAtMs),
    readAt: writeInstant(message.readAtMs),
  }));
}

function describeFile(
  { content, mediaId, mediaStatus, transcript }: HistoryMessage,
  attachments: boolean,
): Pick<RawMessage, "mediaUrl" | "mediaId" | "mediaStatus" | "transcript"> {
  return {
    mediaUrl: attachments ? content?.mediaUrl ?? null : null,
    mediaId: attachments ? mediaId : null,
    mediaStatus,
    transcript,
  };
}

function describeContent(
  { mediaFilename, optionList, choice, template }: ContentParts,
  attachments: boolean,
): Pick<RawMessage, "mediaFilename" | "optionList" | "choice" | "template"> {
  return {
    mediaFilename: mediaFilename ?? null,
    optionList: optionList ?? null,
    choice: choice ?? null,
    template: (attachments ? template : withoutLinks(template)) ?? null,
  };
}

function describeMeta(message: HistoryMessage): Partial<RawMessage> {
  const { messageId, messageType, isGroup, chatName, cardId, sentBy, providerMessageId } = message;
  return { messageId, messageType, isGroup, chatName, cardId, sentBy, providerMessageId };
}

/** Removes `link` at any depth: a template's media parameters hold their file's URL there. */
function withoutLinks<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutLinks) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "link")
      .map(([key, member]) => [key, withoutLinks(member)]),
  ) as Value;
}
