/** Statuses of our messages in Cloud API webhooks (page Webhooks). */
import { chooseAddresses, normalizeAddress } from "../webhooks/addresses.ts";
import { toAuthor, toGroupMember, toGroupStatus, toStatusError } from "../webhooks/content.ts";
import { readLabel, readMessage, readNumericId, readTime, readUuid } from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { MessageAuthor } from "../../model/message_author.ts";
import type { StatusEvent } from "../webhooks/provider_event.ts";
import { listErrorTexts, nameWhatsappCloudError, readWhatsappCloudMeaning } from "./errors.ts";

/** `played` applies to voice messages: read, then listened to. */
const statuses: Readonly<Record<string, StatusEvent["status"]>> = {
  sent: "sent",
  delivered: "delivered",
  read: "read",
  played: "read",
  failed: "failed",
};

/** Reads the status of one of our messages. */
export function readCloudStatus(item: unknown): StatusEvent | undefined {
  const providerMessageId = readId(item, "id");
  const word = readText(item, "status") ?? "";
  const known = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (providerMessageId === undefined || known === undefined) return undefined;
  const isGroup = readText(item, "recipient_type") === "group";
  const status = isGroup ? toGroupStatus(known) : known;
  const member = isGroup ? readMember(item) : undefined;
  return {
    kind: "status",
    providerMessageId,
    messageId: readUuid(item, "biz_opaque_callback_data"),
    status,
    at: readTime(item, "s", "timestamp"),
    error: status === "failed" ? readError(item) : undefined,
    pricing: readPricing(item),
    member: toGroupMember(known, member),
  };
}

/**
 * How the message is billed (page Webhooks: statuses; `conversation` goes with version 24). `billable` is
 * announced as deprecated: `type` and `category` say it.
 */
function readPricing(item: unknown): StatusEvent["pricing"] {
  const category = readLabel(item, "pricing", "category");
  if (category === undefined) return undefined;
  const conversationOrigin = readLabel(item, "conversation", "origin", "type");
  return {
    type: readLabel(item, "pricing", "type") ?? null,
    category,
    model: readLabel(item, "pricing", "pricing_model") ?? null,
    ...(conversationOrigin === undefined ? {} : { conversationOrigin }),
  };
}

/** Who of a group a status is about: pages of Meta's spell the member's name in two ways. */
function readMember(item: unknown): MessageAuthor | undefined {
  return toAuthor(
    undefined,
    chooseAddresses([
      readValue(item, "recipient_participant_id"),
      readValue(item, "participant_recipient_id"),
      readValue(item, "recipient_participant_user_id"),
    ]),
  );
}

function readError(item: unknown): StatusEvent["error"] {
  const words = listErrorTexts([
    readMessage(item, "errors", 0, "message") ?? readMessage(item, "errors", 0, "title"),
    readMessage(item, "errors", 0, "error_data", "details"),
  ]);
  const recipient = normalizeAddress(readValue(item, "recipient_id"));
  const code = readNumericId(item, "errors", 0, "code");
  const error = toStatusError(code && nameWhatsappCloudError(code), words, recipient);
  return { ...error, meaning: code === undefined ? undefined : readWhatsappCloudMeaning(code) };
}
