/** Statuses of our messages and templates in Cloud API webhooks (page Webhooks). */
import { normalizeAddress } from "../webhooks/addresses.ts";
import { toGroupStatus, toStatusError } from "../webhooks/content.ts";
import { readLabel, readMessage, readNumericId, readTime, readUuid } from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { StatusEvent, TemplateStatusEvent } from "../webhooks/provider_event.ts";
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
  return {
    kind: "status",
    providerMessageId,
    messageId: readUuid(item, "biz_opaque_callback_data"),
    status,
    at: readTime(item, "s", "timestamp"),
    error: status === "failed" ? readError(item) : undefined,
  };
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

/** Events without a status of their own. After each, the template may be sent again. */
const restorations = new Set(["REINSTATED", "UNARCHIVED"]);

/**
 * Events that do not stop a template from being sent: at risk of being disabled, or locked for
 * edits.
 */
const harmless = new Set(["FLAGGED", "LOCKED", "UNLOCKED"]);

/**
 * Reads the new status of one template; undefined for events that do not stop it from being sent.
 */
export function readCloudTemplateStatus(value: unknown): TemplateStatusEvent | undefined {
  const providerTemplateId = readNumericId(value, "message_template_id");
  const word = readLabel(value, "event");
  if (providerTemplateId === undefined || word === undefined || harmless.has(word)) {
    return undefined;
  }
  const status = restorations.has(word) ? "APPROVED" : word;
  return { kind: "template_status", providerTemplateId, status };
}
