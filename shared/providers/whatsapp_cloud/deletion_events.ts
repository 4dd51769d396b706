/** Messages that a person deleted for everyone, in Cloud API webhooks (page Webhooks, revoke). */
import { readId, readText } from "../../model/json_value.ts";
import type { MessageDeletionEvent } from "../webhooks/provider_event.ts";

/**
 * Reads a `revoke`: the contact's among the messages, the business's among the echoes. Its own id is
 * that of the notice, not of the message.
 */
export function readCloudRevocation(message: unknown): MessageDeletionEvent | undefined {
  return readText(message, "type") === "revoke"
    ? toDeletion(readId(message, "revoke", "original_message_id"))
    : undefined;
}

/** Reads the status `deleted`, which names the message itself. */
export function readCloudDeletedStatus(item: unknown): MessageDeletionEvent | undefined {
  return readText(item, "status") === "deleted" ? toDeletion(readId(item, "id")) : undefined;
}

function toDeletion(providerMessageId: string | undefined): MessageDeletionEvent | undefined {
  return providerMessageId === undefined
    ? undefined
    : { kind: "message_deletion", providerMessageId };
}
