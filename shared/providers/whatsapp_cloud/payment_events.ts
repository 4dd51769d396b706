/** What Meta tells of a payment that we asked for (page Webhooks: statuses, of the type `payment`). */
import { toPart } from "../webhooks/content.ts";
import { readLabel, readTime } from "../webhooks/fields.ts";
import { cleanText, ID_MAX, readId, readText, readValue } from "../../model/json_value.ts";
import type { MessageEvent } from "../webhooks/provider_event.ts";
import { type CloudContacts, readRecipientParent } from "./contacts.ts";
import { readCloudPayment } from "./event_parts.ts";

/**
 * A step of a payment, in the history of the person who pays; undefined for a status of another type. It has
 * no id of its own: each state of each transaction counts once. Nobody said it, so no agent answers.
 */
export function readCloudPaymentStatus(
  item: unknown,
  contacts: CloudContacts,
): MessageEvent | undefined {
  if (readText(item, "type") !== "payment") return undefined;
  const askedBy = readId(item, "id");
  const status = readLabel(item, "status");
  const addresses = contacts.findAddresses(
    [
      readId(item, "recipient_id") ?? readId(item, "from") ?? readId(item, "payment", "sender"),
      readId(item, "recipient_user_id"),
    ],
    readRecipientParent(item),
  );
  if (askedBy === undefined || status === undefined || addresses === undefined) return undefined;
  const told = readCloudPayment(readValue(item, "payment"));
  const payment = { kind: "payment" as const, ...told, status };
  const mark = [
    askedBy,
    status,
    told?.transactionId,
    readText(item, "payment", "transaction", "status"),
  ];
  return {
    kind: "message",
    origin: "inbound",
    providerMessageId: cleanText(["payment", ...mark.map((part) => part ?? "")].join(":"), ID_MAX),
    ...addresses,
    ...toPart("payment", "payment", payment),
    isUnreadable: true,
    sentAt: readTime(item, "s", "timestamp"),
    isGroup: false,
    quotedProviderMessageId: askedBy,
  };
}
