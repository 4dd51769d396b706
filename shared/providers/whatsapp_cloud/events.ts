/**
 * Webhooks of the WhatsApp Cloud API (pages Webhooks: messages, message status, smb_message_echoes,
 * user_preferences, account_update, and those of templates and the own number). One payload may hold many
 * entries, changes, messages and statuses. Each is read independently.
 */
import { type EventAddresses, normalizeAddress, readGroupAddress } from "../webhooks/addresses.ts";
import { toGroupAddress } from "../recipient.ts";
import { attributeToAuthor, toAuthor, toMessageOrReaction } from "../webhooks/content.ts";
import { readList, readNumericId, readTime } from "../webhooks/fields.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type { MessageEvent, ProviderEvent, ReactionEvent } from "../webhooks/provider_event.ts";
import { limitFields, readAccountUpdate, readLimitChange } from "./account_events.ts";
import { CloudContacts, readCloudProfile, readCloudRecipient } from "./contacts.ts";
import { readCloudDeletedStatus, readCloudRevocation } from "./deletion_events.ts";
import { readCloudContent } from "./event_content.ts";
import { readCloudMissedCall } from "./call_events.ts";
import { readCloudAddressBook, readCloudHistory } from "./history_events.ts";
import { readCloudPreference } from "./preference_events.ts";
import {
  readCloudIdentity,
  readCloudIdentityChanges,
  readUserIdUpdates,
} from "./identity_events.ts";
import { readCloudContext, readCloudHandover } from "./handover_events.ts";
import { readNumberEvent } from "./number_events.ts";
import { readPhoneNumberId } from "./routing.ts";
import { readStandbyEcho } from "./standby_events.ts";
import { readCloudPaymentStatus } from "./payment_events.ts";
import { readCloudStatus } from "./status_events.ts";
import { readCloudTemplateEvent, templateFields } from "./template_events.ts";

/**
 * Reads all events of one payload, in its order. Given a phone number id, skips events of other
 * numbers of the same business account, which belong to other instances. Never throws.
 */
export function* readWhatsappCloudEvents(
  payload: unknown,
  phoneNumberId?: string | undefined,
): ReadingOfEvents {
  for (const entry of readList(payload, "entry")) {
    for (const change of readList(entry, "changes")) {
      yield undefined;
      if (isOwn(change, phoneNumberId)) yield* readChange(change, entry);
    }
  }
}

type ReadingOfEvents = Generator<ProviderEvent | undefined, void, void>;

function isOwn(change: unknown, phoneNumberId: string | undefined): boolean {
  const named = readPhoneNumberId(change);
  return named === undefined || phoneNumberId === undefined || named === phoneNumberId;
}

function readChange(change: unknown, entry: unknown): Iterable<ProviderEvent | undefined> {
  const value = readValue(change, "value");
  switch (readText(change, "field")) {
    case "messages":
      return readOwnMessages(value);
    case "standby":
      return readStandby(readValue(value, "standby"));
    case "messaging_handovers":
      return readEach([value], readCloudHandover);
    case "smb_message_echoes": {
      const contacts = new CloudContacts(value);
      return readEchoes(value, (item) => readEcho(item, contacts));
    }
    case "calls": {
      const contacts = new CloudContacts(value);
      return readEach(readList(value, "calls"), (item) => readCloudMissedCall(item, contacts));
    }
    case "history":
      return readCloudHistory(value, new CloudContacts(value));
    case "smb_app_state_sync":
      return readCloudAddressBook(value);
    case "user_id_update":
      return readUserIdUpdates(value);
    case "user_preferences": {
      const contacts = new CloudContacts(value);
      return readEach(
        readList(value, "user_preferences"),
        (item) => readCloudPreference(item, contacts),
      );
    }
    case "account_update":
      return readAccountUpdate(value, entry);
    default:
      return readBusinessNews(readText(change, "field") ?? "", value, entry);
  }
}

/** What reaches us because we hold the conversation, and what its former holder tells of it. */
function* readOwnMessages(value: unknown): ReadingOfEvents {
  const contacts = new CloudContacts(value);
  const told = readCloudContext(value, contacts);
  if (told !== undefined) yield told;
  yield* readMessages(value, contacts);
}

function* readMessages(value: unknown, contacts: CloudContacts): ReadingOfEvents {
  for (const item of readList(value, "messages")) {
    if (readText(item, "type") === "system") yield* readCloudIdentityChanges(item);
    else yield readCloudRevocation(item) ?? readInbound(item, contacts);
    yield* readCloudIdentity(item, contacts);
  }
  for (const item of readList(value, "statuses")) {
    const special = readCloudPaymentStatus(item, contacts) ?? readCloudDeletedStatus(item);
    yield special ?? readCloudStatus(item);
    if (special === undefined) yield readCloudRecipient(item, contacts);
  }
}

/**
 * What is said in a conversation that another responder of the number holds, such as Meta's Business Agent
 * (page Webhooks: standby): no agent of ours answers.
 */
function* readStandby(value: unknown): ReadingOfEvents {
  const contacts = new CloudContacts(value);
  for (const event of readMessages(value, contacts)) {
    yield event?.kind === "message" ? { ...event, isStandby: true } : event;
  }
  yield* readEchoes(value, (item) => readStandbyEcho(item, contacts));
}

/** Echoes, and what the persons that they went to call themselves. */
function* readEchoes(
  value: unknown,
  read: (item: unknown) => ProviderEvent | undefined,
): ReadingOfEvents {
  yield* readEach(
    readList(value, "message_echoes"),
    (item) => readCloudRevocation(item) ?? read(item),
  );
  yield* readEach(readList(value, "contacts"), readCloudProfile);
}

/** Notices of the business's own number and templates. */
function readBusinessNews(
  field: string,
  value: unknown,
  entry: unknown,
): Iterable<ProviderEvent | undefined> {
  if (templateFields.has(field)) {
    return readEach([value], (item) => readCloudTemplateEvent(field, item, entry));
  }
  const limits = limitFields.has(field) ? readLimitChange(field, value, entry) : [];
  return [...limits, ...readEach([value], (item) => readNumberEvent(field, item, entry))];
}

function* readEach(
  items: readonly unknown[],
  read: (item: unknown) => ProviderEvent | undefined,
): ReadingOfEvents {
  for (const item of items) yield read(item);
}

function readInbound(
  message: unknown,
  contacts: CloudContacts,
): MessageEvent | ReactionEvent | undefined {
  const named = readMessageIds(message);
  const ids = [readId(message, "from"), readId(message, "from_user_id")];
  const content = readCloudContent(message);
  const author = contacts.findAddresses(
    [readSharedPhone(message, contacts, ids), ...ids],
    readId(message, "from_parent_user_id"),
  );
  if (named === undefined || content === undefined || author === undefined) return undefined;
  const name = contacts.find(ids)?.name;
  const group = readGroup(message);
  const base = {
    kind: "message",
    origin: "inbound",
    ...named,
    sentAt: readTime(message, "s", "timestamp"),
    quotedProviderMessageId: named.quotedProviderMessageId ?? content.quotedProviderMessageId,
  } as const;
  return toMessageOrReaction(
    group === undefined
      ? { ...author, contactName: name, ...content, ...base, isGroup: false }
      : { ...group, ...attributeToAuthor(content, toAuthor(name, author)), ...base, isGroup: true },
  );
}

/**
 * The phone on the card by which a person answers a contact request: it is the person's own. `origin`
 * says so, by version on the card, in the message or beside the sender. A card that was forwarded, or
 * that the person chose to share, may be anybody's.
 */
function readSharedPhone(
  message: unknown,
  contacts: CloudContacts,
  ids: readonly (string | undefined)[],
): string | undefined {
  if (readText(message, "type") !== "contacts" || readGroup(message) !== undefined) {
    return undefined;
  }
  const isForwarded = ["forwarded", "frequently_forwarded"].some((flag) =>
    readValue(message, "context", flag) === true
  );
  const [card] = readList(message, "contacts");
  const origins = [readText(card, "origin"), readText(message, "origin")];
  const isAnswer = (origins.find((origin) => origin !== undefined) ??
    contacts.find(ids)?.origin) === "contact_request";
  if (isForwarded || !isAnswer) return undefined;
  const phones = readList(card, "phones");
  const shown = phones.map((phone) =>
    normalizeAddress(readText(phone, "wa_id") ?? readText(phone, "phone"))
  );
  return shown.find((phone) => phone !== undefined && /^[0-9]{8,15}$/.test(phone));
}

/** A group's id is the channel's own. One of digits is marked, so that it is taken for no phone. */
function readGroup(message: unknown): EventAddresses | undefined {
  const digits = readNumericId(message, "group_id");
  return readGroupAddress(
    digits === undefined ? readValue(message, "group_id") : toGroupAddress(digits),
  );
}

/** A message that an employee sent from the WhatsApp Business app. `to` is the contact. */
function readEcho(
  message: unknown,
  contacts: CloudContacts,
): MessageEvent | ReactionEvent | undefined {
  const named = readMessageIds(message);
  const group = readGroup(message);
  const addresses = group ??
    contacts.findAddresses(
      [readId(message, "to"), readId(message, "to_user_id")],
      readId(message, "to_parent_user_id"),
    );
  const content = readCloudContent(message);
  if (named === undefined || content === undefined || addresses === undefined) return undefined;
  return toMessageOrReaction({
    kind: "message",
    origin: "echo",
    ...addresses,
    ...content,
    ...named,
    quotedProviderMessageId: named.quotedProviderMessageId ?? content.quotedProviderMessageId,
    sentAt: readTime(message, "s", "timestamp"),
    isGroup: group !== undefined,
  });
}

/**
 * The ids in a message: its own and that of the message which it answers. An edit is of the message that
 * it names: its own id is that of the notice.
 */
function readMessageIds(
  message: unknown,
):
  | Pick<MessageEvent, "providerMessageId" | "isEdit" | "quotedProviderMessageId">
  | undefined {
  const editedId = readText(message, "type") === "edit"
    ? readId(message, "edit", "original_message_id")
    : undefined;
  // The context of the new version names no message: Meta's example has "M0" there.
  if (editedId !== undefined) return { providerMessageId: editedId, isEdit: true };
  const providerMessageId = readId(message, "id");
  return providerMessageId === undefined
    ? undefined
    : { providerMessageId, quotedProviderMessageId: readId(message, "context", "id") };
}
