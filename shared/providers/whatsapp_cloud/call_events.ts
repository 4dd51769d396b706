/** Calls in Cloud API webhooks (page Webhooks, calls): those of the contact that nobody answered. */
import { toMissedCall } from "../webhooks/content.ts";
import { readTime } from "../webhooks/fields.ts";
import { readId, readText } from "../../model/json_value.ts";
import type { MessageEvent } from "../webhooks/provider_event.ts";
import type { CloudContacts } from "./contacts.ts";

/**
 * Reads the end of a call that never was answered: without a duration, and not completed. A call that
 * rings, was answered or was ours gives nothing.
 */
export function readCloudMissedCall(
  item: unknown,
  contacts: CloudContacts,
): MessageEvent | undefined {
  const id = readId(item, "id");
  const ids = [readId(item, "from"), readId(item, "from_user_id")];
  const addresses = contacts.findAddresses(ids);
  const isMissed = readText(item, "event") === "terminate" &&
    readText(item, "direction") !== "BUSINESS_INITIATED" &&
    readText(item, "status")?.toUpperCase() !== "COMPLETED";
  if (!isMissed || id === undefined || addresses === undefined) return undefined;
  return {
    kind: "message",
    origin: "inbound",
    providerMessageId: id,
    ...addresses,
    contactName: contacts.find(ids)?.name,
    ...toMissedCall("voice", id),
    sentAt: readTime(item, "s", "timestamp"),
    isGroup: false,
  };
}
