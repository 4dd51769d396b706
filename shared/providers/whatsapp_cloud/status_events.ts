/** What the Cloud API reports about our messages and templates (page Webhooks). */
import { normalizeAddress } from "../webhooks/addresses.ts";
import { toStatusError } from "../webhooks/content.ts";
import { readLabel, readMessage, readNumericId, readTime, readUuid } from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { StatusEvent, TemplateStatusEvent } from "../webhooks/provider_event.ts";
import { nameWhatsappCloudError } from "./errors.ts";

/** `played` is said of voice messages that were read and then heard. */
const statuses: Readonly<Record<string, StatusEvent["status"]>> = {
  sent: "sent",
  delivered: "delivered",
  read: "read",
  played: "read",
  failed: "failed",
};

/** What became of one message of ours. */
export function readCloudStatus(item: unknown): StatusEvent | undefined {
  const providerMessageId = readId(item, "id");
  const word = readText(item, "status") ?? "";
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (providerMessageId === undefined || status === undefined) return undefined;
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
  const words = [
    readMessage(item, "errors", 0, "message") ?? readMessage(item, "errors", 0, "title"),
    readMessage(item, "errors", 0, "error_data", "details"),
  ];
  const recipient = normalizeAddress(readValue(item, "recipient_id"));
  const code = readNumericId(item, "errors", 0, "code");
  return toStatusError(code && nameWhatsappCloudError(code), words, recipient);
}

/** Events that name no status of their own: with each the template may be sent again. */
const restorations = new Set(["REINSTATED", "UNARCHIVED"]);

/** Events after which a template may be sent as before: at risk of being disabled, not to be edited. */
const harmless = new Set(["FLAGGED", "LOCKED", "UNLOCKED"]);

/** What was decided about one template; none where it may be sent as before. */
export function readCloudTemplateStatus(value: unknown): TemplateStatusEvent | undefined {
  const providerTemplateId = readNumericId(value, "message_template_id");
  const word = readLabel(value, "event");
  if (providerTemplateId === undefined || word === undefined || harmless.has(word)) {
    return undefined;
  }
  const status = restorations.has(word) ? "APPROVED" : word;
  return { kind: "template_status", providerTemplateId, status };
}
