/** Changed phone numbers and user ids in Cloud API webhooks (page Webhooks, system messages). */
import { normalizeAddress } from "../webhooks/addresses.ts";
import { isUserId as matchesUserId } from "../recipient.ts";
import { readList, readTime } from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { CloudContacts } from "./contacts.ts";
import type { IdentityEvent, NumberChangeEvent } from "../webhooks/provider_event.ts";

/** "User Ana changed from BR.1 to BR.2": the fallback if no field holds the old id. */
const bodyPattern = /changed from (\S{1,160}) to (\S{1,160})\s*$/;

/** Reads the changes of number and user id from a system message, one event each. */
export function readCloudIdentityChanges(message: unknown): NumberChangeEvent[] {
  const type = readText(message, "system", "type");
  if (type === "user_changed_user_id") return readUserIdChange(message);
  if (type !== "user_changed_number" && type !== "customer_changed_number") return [];
  // A new number brings a new user id.
  const numbers = readNumberChange(message);
  const ofSamePerson = numbers.map(({ newAddress }) => newAddress);
  return [...numbers, ...readUserIdChange(message, ofSamePerson)];
}

/** System messages that say that a person has a new key; pages of Meta's spell them in several ways. */
const identityNotices = new Set(["customer_identity_changed", "user_identity_changed"]);

/**
 * Reads the key that a person writes with: from a notice of its change, as a system message or beside a
 * message (`identity`), and from the key that accounts which ask for it are told with each message
 * (`identity_key_hash`).
 */
export function readCloudIdentity(message: unknown, contacts: CloudContacts): IdentityEvent[] {
  const ids = [
    ...[readId(message, "from"), readId(message, "from_user_id")],
    ...[readId(message, "system", "customer"), readId(message, "system", "wa_id")],
  ].filter((id) => id !== undefined);
  const person = contacts.findAddresses(ids);
  const told = readToldIdentity(message) ?? toKnownKey(contacts.find(ids)?.identity);
  if (person === undefined || told === undefined) return [];
  return [{ kind: "identity", ...person, ...told, at: readTime(message, "s", "timestamp") }];
}

type ToldIdentity = Pick<IdentityEvent, "identity" | "isNotice" | "source" | "noticeId">;

function readToldIdentity(message: unknown): ToldIdentity | undefined {
  const isSystem = identityNotices.has(readText(message, "system", "type") ?? "");
  const noticeId = isSystem ? readId(message, "id") : undefined;
  const identity = isSystem
    ? readId(message, "system", "identity") ?? noticeId
    : readId(message, "identity", "hash");
  if (identity === undefined) return undefined;
  return { identity, isNotice: true, source: isSystem ? "system" : "beside", noticeId };
}

function toKnownKey(identity: string | undefined): ToldIdentity | undefined {
  return identity === undefined ? undefined : { identity, isNotice: false, source: "key" };
}

/** Reads the field `user_id_update`, which some versions send instead of a system message. */
export function readUserIdUpdates(value: unknown): NumberChangeEvent[] {
  const update = readValue(value, "user_id_update");
  const items = Array.isArray(update) ? readList(value, "user_id_update") : [update];
  return items.flatMap((item) => {
    const ids = readValue(item, "user_id") ?? item;
    return toUserIdChange(readText(ids, "previous"), readText(ids, "current"), undefined);
  });
}

/**
 * `wa_id` is the new number; older versions name it `new_wa_id`. The old one stands in `from`, in
 * `customer` or in the body's text. A person who hides it is named by the old user id.
 */
function readNumberChange(message: unknown): NumberChangeEvent[] {
  const system = readValue(message, "system");
  const [, bodyOld] = bodyPattern.exec(readText(system, "body") ?? "") ?? [];
  const former = [
    ...[readText(message, "from"), readText(system, "customer"), bodyOld],
    ...[readText(system, "previous_user_id"), readText(message, "from_user_id")],
  ];
  const oldAddress = former.map(normalizeAddress).find((address) => address !== undefined);
  const newAddress = normalizeAddress(readText(system, "wa_id") ?? readText(system, "new_wa_id"));
  const isChange = oldAddress !== undefined && newAddress !== undefined &&
    oldAddress !== newAddress;
  const eventId = readId(message, "id");
  return isChange ? [{ kind: "number_change", eventId, oldAddress, newAddress }] : [];
}

/** The old id is in a field, in the body's text, or beside the message as its sender's. */
function readUserIdChange(
  message: unknown,
  otherAddresses: readonly string[] = [],
): NumberChangeEvent[] {
  const system = readValue(message, "system");
  const update = readValue(system, "user_id_update") ?? readValue(message, "user_id_update");
  const [, bodyOld, bodyNew] = bodyPattern.exec(readText(system, "body") ?? "") ?? [];
  const previous = [readText(system, "previous_user_id"), readText(update, "previous"), bodyOld];
  const current = [readText(system, "user_id"), readText(update, "current"), bodyNew];
  const sender = [readText(message, "from_user_id"), readText(message, "from")];
  const oldId = previous.find(isUserId) ?? sender.find(isUserId);
  return toUserIdChange(oldId, current.find(isUserId), readId(message, "id"))
    .map((event) => otherAddresses.length === 0 ? event : { ...event, otherAddresses });
}

function toUserIdChange(
  oldAddress: string | undefined,
  newAddress: string | undefined,
  eventId: string | undefined,
): NumberChangeEvent[] {
  if (!isUserId(oldAddress) || !isUserId(newAddress) || oldAddress === newAddress) return [];
  return [{ kind: "number_change", eventId, oldAddress, newAddress, isUserId: true }];
}

function isUserId(text: string | undefined): text is string {
  return text !== undefined && matchesUserId(text);
}
