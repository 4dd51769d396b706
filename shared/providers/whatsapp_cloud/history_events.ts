/**
 * Coexistence (pages Webhooks: history, smb_app_state_sync): the conversations that the business had on its
 * phone before its number was connected, and its phone's address book.
 */
import { chooseAddresses, toIdentity } from "../webhooks/addresses.ts";
import {
  readLabel,
  readList,
  readName,
  readPassage,
  readPersonName,
  readTime,
} from "../webhooks/fields.ts";
import { readAnyId, readCount } from "../webhooks/values.ts";
import { readId, readText, readValue } from "../../model/json_value.ts";
import type {
  ContactNameEvent,
  HistoryProgressEvent,
  ImportedMessageEvent,
  ProviderEvent,
} from "../webhooks/provider_event.ts";
import type { CloudContacts } from "./contacts.ts";
import { readCloudContent } from "./event_content.ts";

/**
 * Reads one chunk: its messages, then how far the import is. Chunks come in any order, and again. A photo
 * or recording comes as `media_placeholder` first; the message itself follows in a webhook of its own.
 */
export function readCloudHistory(value: unknown, contacts: CloudContacts): ProviderEvent[] {
  const own = toIdentity(readText(value, "metadata", "display_phone_number"));
  const read = (message: unknown, thread?: string): ImportedMessageEvent[] => {
    const event = readImported(message, { own, thread, contacts });
    return event === undefined ? [] : [event];
  };
  return [
    ...readList(value, "history").flatMap((chunk): ProviderEvent[] => [
      ...readList(chunk, "threads").flatMap((thread) =>
        readList(thread, "messages").flatMap((message) => read(message, readId(thread, "id")))
      ),
      readProgress(chunk),
    ]),
    ...readList(value, "messages").flatMap((message) => read(message)),
  ];
}

/** Of phases, chunks and percents. */
const MAX_COUNT = 10_000;

interface Chat {
  /** Our own number, as `toIdentity` writes it. */
  readonly own: string | undefined;
  /** The contact's number or user id, where the message stands in its thread. */
  readonly thread: string | undefined;
  readonly contacts: CloudContacts;
}

/**
 * Whether the message is ours: `from` says who wrote it, `to` is beside it in messages of both sides. In a
 * thread of two phones, who is not the contact is we, however our number is spelled.
 */
function isOurs(message: unknown, { own, thread }: Omit<Chat, "contacts">): boolean {
  const [from, to] = ["from", "to"].map((member) => toIdentity(readId(message, member)));
  const contact = toIdentity(thread);
  if (from !== undefined) {
    if (from === own) return true;
    if (from === contact) return false;
    if (isPhone(from) && isPhone(contact)) return true;
  }
  if (to !== undefined && to === contact) return true;
  if (from !== undefined && own !== undefined) return false;
  return readValue(message, "history_context", "from_me") === true ||
    to !== undefined && to !== own;
}

function isPhone(identity: string | undefined): boolean {
  return identity !== undefined && /^\d+$/.test(identity);
}

/** The ids of the contact: the thread's, and those in the message that are not another phone than that. */
function listContactIds(
  message: unknown,
  side: "from" | "to",
  thread: string | undefined,
): readonly (string | undefined)[] {
  const contact = toIdentity(thread);
  const ids = [readId(message, side), readId(message, `${side}_user_id`)];
  return [
    thread,
    ...ids.filter((id) =>
      contact === undefined || contact === toIdentity(id) || !isPhone(contact) ||
      !isPhone(toIdentity(id))
    ),
  ];
}

/** Undefined for what has no instant: it has no place among the others. */
function readImported(
  message: unknown,
  { own, thread, contacts }: Chat,
): ImportedMessageEvent | undefined {
  const providerMessageId = readId(message, "id");
  const sentAt = readTime(message, "s", "timestamp");
  const content = readCloudContent(message);
  const isOwn = isOurs(message, { own, thread });
  const addresses = contacts.findAddresses(
    listContactIds(message, isOwn ? "to" : "from", thread),
  );
  if (
    providerMessageId === undefined || sentAt === undefined || content === undefined ||
    addresses === undefined
  ) return undefined;
  const { emoji, isUnreadable: _, ...rest } = content;
  return {
    kind: "imported_message",
    origin: isOwn ? "echo" : "inbound",
    providerMessageId,
    ...addresses,
    ...rest,
    ...(emoji === undefined ? {} : { reaction: { messageId: null, emoji } }),
    ...(readText(message, "type") === "media_placeholder"
      ? { message: "[media]", unsupportedType: "media_placeholder" }
      : {}),
    isImported: true,
    status: isOwn ? readStatus(message) : undefined,
    sentAt,
    isGroup: false,
    quotedProviderMessageId: readId(message, "context", "id") ?? content.quotedProviderMessageId,
  };
}

/** What became of our message on the phone, in either case. */
const statuses: Readonly<Record<string, ImportedMessageEvent["status"]>> = {
  DELIVERED: "delivered",
  READ: "read",
  PLAYED: "read",
  ERROR: "failed",
};

function readStatus(message: unknown): ImportedMessageEvent["status"] {
  const word = readText(message, "history_context", "status")?.toUpperCase() ?? "";
  return Object.hasOwn(statuses, word) ? statuses[word] : "sent";
}

function readProgress(chunk: unknown): HistoryProgressEvent {
  const [error] = readList(chunk, "errors");
  const count = (name: string): number | undefined => {
    const number = readCount(chunk, "metadata", name);
    return number === undefined || number > MAX_COUNT ? undefined : number;
  };
  return {
    kind: "history_progress",
    phase: count("phase"),
    chunk: count("chunk_order"),
    progress: count("progress"),
    error: error === undefined ? undefined : {
      code: readAnyId(error, "code") ?? "",
      message: readPassage(error, "error_data", "details") ?? readName(error, "title") ?? "",
    },
  };
}

/** The entries of the address book that were added, changed or removed on the business's phone. */
export function readCloudAddressBook(value: unknown): ContactNameEvent[] {
  return readList(value, "state_sync").flatMap((entry) => {
    const addresses = chooseAddresses([
      readId(entry, "contact", "phone_number"),
      readId(entry, "contact", "user_id"),
    ]);
    if (readText(entry, "type") !== "contact" || addresses === undefined) return [];
    const name = readPersonName(entry, "contact", "full_name") ??
      readPersonName(entry, "contact", "first_name");
    const isRemoved = readLabel(entry, "action") === "remove";
    return [{
      kind: "contact_name" as const,
      ...addresses,
      source: "address_book" as const,
      name: isRemoved ? undefined : name,
      at: readTime(entry, "s", "metadata", "timestamp"),
    }];
  });
}
