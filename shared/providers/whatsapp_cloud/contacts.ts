/** The senders of messages: the list `contacts` of a Cloud API webhook. */
import { chooseAddresses, type EventAddresses, toUsernameIdentity } from "../webhooks/addresses.ts";
import { isUserId } from "../recipient.ts";
import { readList, readPersonName } from "../webhooks/fields.ts";
import { cleanText, readId, readText } from "../../model/json_value.ts";

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

  /** The addresses to reply to for the person with these ids; undefined without any id. */
  findAddresses(ids: readonly (string | undefined)[]): EventAddresses | undefined {
    const contact = this.find(ids);
    const addresses = chooseAddresses([...ids, ...contact?.ids ?? []]);
    if (addresses === undefined || contact === undefined) return addresses;
    const known = [addresses.address, ...addresses.otherAddresses];
    const further = contact.furtherIdentities.filter((identity) => !known.includes(identity));
    return { ...addresses, otherAddresses: [...addresses.otherAddresses, ...further] };
  }
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
