/** The senders of messages: the list `contacts` of a Cloud API webhook. */
import {
  chooseAddresses,
  type EventAddresses,
  isUsernameIdentity,
  toUsernameIdentity,
} from "../webhooks/addresses.ts";
import { isParentUserId, isUserId } from "../recipient.ts";
import { readList, readPersonName } from "../webhooks/fields.ts";
import { cleanText, readId, readText } from "../../model/json_value.ts";
import type { AddressesEvent, ContactNameEvent } from "../webhooks/provider_event.ts";

/** One person's ids and name. Phone and business-scoped user id come in pairs. */
export interface CloudContact {
  readonly ids: readonly string[];
  /** Identities that no message goes to: the parent user id and the username. */
  readonly furtherIdentities: readonly string[];
  readonly name: string | undefined;
  /** Where a shared card comes from, as some versions tell beside the sender. */
  readonly origin: string | undefined;
  /** The key that the person writes with, where the account asks to be told. */
  readonly identity: string | undefined;
}

/** The contacts of one webhook value, found by either of their ids. */
export class CloudContacts {
  readonly #byId = new Map<string, CloudContact>();
  readonly #only: CloudContact | undefined;

  constructor(value: unknown) {
    const contacts = readList(value, "contacts").map(readContact);
    for (const contact of contacts) {
      for (const id of contact.ids) this.#byId.set(id, contact);
    }
    // `wa_id` may be spelled unlike the message's `from`. One contact and one message match anyway.
    const isPair = contacts.length === 1 && readList(value, "messages").length === 1;
    this.#only = isPair ? contacts[0] : undefined;
  }

  /** The person with one of these ids. */
  find(ids: readonly (string | undefined)[]): CloudContact | undefined {
    for (const id of ids) {
      const contact = id === undefined ? undefined : this.#byId.get(id);
      if (contact !== undefined) return contact;
    }
    return this.#only;
  }

  /**
   * The addresses to reply to for the person with these ids; undefined without any id. `parent` is the
   * person's parent user id where the message itself tells it.
   */
  findAddresses(
    ids: readonly (string | undefined)[],
    parent?: string | undefined,
  ): EventAddresses | undefined {
    const contact = this.find(ids);
    const addresses = chooseAddresses([...ids, ...contact?.ids ?? []]);
    if (addresses === undefined) return addresses;
    const known = [addresses.address, ...addresses.otherAddresses];
    const told = parent !== undefined && isUserId(parent) ? [parent] : [];
    const further = [...new Set([...contact?.furtherIdentities ?? [], ...told])]
      .filter((identity) => !known.includes(identity));
    return { ...addresses, otherAddresses: [...addresses.otherAddresses, ...further] };
  }
}

/** What a person in `contacts` calls itself; undefined without a name. */
export function readCloudProfile(contact: unknown): ContactNameEvent | undefined {
  const { ids, name } = readContact(contact);
  const addresses = chooseAddresses(ids);
  return addresses === undefined || name === undefined
    ? undefined
    : { kind: "contact_name", ...addresses, source: "profile", name };
}

/**
 * The parent user id of whom a status is about. Pages of Meta's spell it in two ways, and where the message
 * could be sent name it in `contacts` too.
 */
export function readRecipientParent(item: unknown): string | undefined {
  return readId(item, "recipient_parent_user_id") ?? readId(item, "parent_recipient_user_id");
}

/**
 * The identities of whom an ordinary status is about, where they hold a parent user id; undefined otherwise:
 * the phone and the user id are those that the message was sent to, or that the person writes with.
 */
export function readCloudRecipient(
  item: unknown,
  contacts: CloudContacts,
): AddressesEvent | undefined {
  if (readText(item, "recipient_type") === "group") return undefined;
  const ids = [readId(item, "recipient_id"), readId(item, "recipient_user_id")];
  const found = contacts.findAddresses(ids, readRecipientParent(item));
  // A username can pass to another person.
  const otherAddresses = found?.otherAddresses.filter((address) => !isUsernameIdentity(address));
  return found === undefined || otherAddresses === undefined || !otherAddresses.some(isParentUserId)
    ? undefined
    : { kind: "addresses", address: found.address, otherAddresses };
}

const USERNAME_MAX = 100;

function readUsername(contact: unknown): string | undefined {
  const text = readText(contact, "profile", "username") ?? readText(contact, "username");
  return text === undefined ? undefined : toUsernameIdentity(cleanText(text, USERNAME_MAX));
}

function readContact(contact: unknown): CloudContact {
  const ids = [readId(contact, "wa_id"), readId(contact, "user_id")];
  const parent = readId(contact, "parent_user_id");
  const username = readUsername(contact);
  return {
    ids: ids.filter((id) => id !== undefined),
    furtherIdentities: [
      parent !== undefined && isUserId(parent) ? parent : undefined,
      username,
    ].filter((identity) => identity !== undefined),
    name: readPersonName(contact, "profile", "name"),
    origin: readText(contact, "origin"),
    identity: readId(contact, "identity_key_hash"),
  };
}
