import { readCallerFields } from "../../shared/model/caller_fields.ts";
import type { HistoryMessage } from "../../shared/database/rpcs/history.ts";
import { isPlainObject } from "../../shared/model/bounded_fields.ts";
import { type PartName, partNames } from "../../shared/model/content_parts.ts";
import type { ContentParts } from "../../shared/model/message_content.ts";
import type { RenderOptions } from "./conversation.ts";
import type { mediaFields } from "../../shared/model/response_fields.ts";
import type { RawMessage, RawMeta } from "./contract.ts";

/**
 * Returns the rows of `format=raw`: each message as it is stored, ungrouped. Without `includeMeta`
 * omits ids and tags. Without `attachments` omits every reference to a media file.
 */
export function formatRawMessages(
  messages: readonly HistoryMessage[],
  { attachments, includeMeta }: RenderOptions,
): RawMessage[] {
  return messages.map((message) => ({
    ...(includeMeta ? describeMeta(message) : {}),
    direction: message.direction,
    status: message.status,
    message: message.message,
    ...describeFile(message, attachments),
    ...describeParts(message.content ?? {}, attachments),
    sentAt: new Date(message.sentAtMs).toISOString(),
    deliveredAt: writeInstant(message.deliveredAtMs),
    readAt: writeInstant(message.readAtMs),
  }));
}

function writeInstant(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}

function describeFile(
  message: HistoryMessage,
  attachments: boolean,
): Pick<RawMessage, keyof typeof mediaFields | "transcript"> {
  const { content, mediaId, mediaStatus, mediaFilename, mediaMimeType, mediaSize } = message;
  return {
    mediaUrl: attachments ? content?.mediaUrl ?? null : null,
    mediaId: attachments ? mediaId : null,
    mediaStatus,
    mediaFilename,
    mediaMimeType,
    mediaSize,
    transcript: message.transcript,
  };
}

const absentParts = { optionList: null, choice: null, template: null };

/** Every part that the message has, by its name. */
function describeParts(content: ContentParts, attachments: boolean): Pick<RawMessage, PartName> {
  const given = partNames.filter((name) => content[name] !== undefined);
  const parts = Object.fromEntries(given.map((name) => [name, content[name]]));
  return { ...absentParts, ...(attachments ? parts : withoutFiles(parts)) };
}

function describeMeta(message: HistoryMessage): RawMeta {
  const { messageId, messageType, isGroup, chatName, sentBy, providerMessageId } = message;
  const { quotedMessageId, quotedProviderMessageId, author, isTypedOnPhone, handledBy } = message;
  const { batchId, conversationId, channelStatus, attempts, lastError } = message;
  const { pricing, estimatedCost, groupReceipts, question, answers } = message;
  return {
    ...{ messageId, messageType, isGroup, chatName, sentBy, providerMessageId },
    ...readCallerFields(message),
    ...{ quotedMessageId, quotedProviderMessageId, author, isTypedOnPhone, handledBy },
    ...{ batchId, conversationId, channelStatus, attempts, lastError },
    ...{ pricing, estimatedCost },
    ...(groupReceipts === undefined ? {} : { groupReceipts }),
    ...(question === undefined ? {} : { question }),
    ...(answers === undefined ? {} : { answers }),
    purpose: message.purpose,
    scheduledFor: writeInstant(message.scheduledForMs),
    createdAt: new Date(message.createdAtMs).toISOString(),
    editedAt: writeInstant(message.editedAtMs),
    deletedAt: writeInstant(message.deletedAtMs),
  };
}

/** Members of parts that are the address of a picture, a video or a document. */
export const fileAddressNames: readonly string[] = ["mediaUrl", "imageUrl", "videoUrl"];

/**
 * Parts without the addresses of files in them. A page to which a part leads stays, and so does what people
 * filled in, whatever its members are called.
 */
function withoutFiles<Parts extends Readonly<Record<string, unknown>>>(parts: Parts): Parts {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      name === "template" ? withoutLinks(part) : withoutFileAddresses(part),
    ]),
  ) as Parts;
}

function withoutFileAddresses(part: unknown): unknown {
  if (!isPlainObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).filter(([key]) => !fileAddressNames.includes(key)),
  );
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
