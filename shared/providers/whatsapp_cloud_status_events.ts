/** What the Cloud API reports about our messages and templates (page Webhooks). */
import { normalizeAddress } from "./event_address.ts";
import { toStatusError } from "./event_content.ts";
import { readLabel, readMessage, readNumericId, readTime, readUuid } from "./event_fields.ts";
import { readId, readText, readValue } from "./json_value.ts";
import type { StatusEvent, TemplateStatusEvent } from "./provider_event.ts";

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
  return toStatusError(readNumericId(item, "errors", 0, "code"), words, recipient);
}

/** What was decided about one template. */
export function readCloudTemplateStatus(value: unknown): TemplateStatusEvent | undefined {
  const providerTemplateId = readNumericId(value, "message_template_id");
  const status = readLabel(value, "event");
  if (providerTemplateId === undefined || status === undefined) return undefined;
  return { kind: "template_status", providerTemplateId, status };
}
