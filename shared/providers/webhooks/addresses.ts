/**
 * Addresses of people and groups as providers write them. A phone is digits with country code. A
 * person without a visible phone keeps the provider's own address (`...@lid`, a business-scoped
 * user id). A group also keeps its own address (`...@g.us`, Z-API's `...-group`). Messages are sent
 * to these addresses.
 */
import { identityKeyOf } from "../../model/phone.ts";
import { cleanText } from "../../model/json_value.ts";
import { isUserId } from "../recipient.ts";

const ADDRESS_MAX = 200;

/**
 * Channels, status updates, broadcast lists (Z-API: `...-broadcast`), calls and the channel's own bots.
 * None of them is a person.
 */
const impersonalAddress = /[@-](?:broadcast|newsletter)$|@(?:bot|call)$/i;
/** Numbers of WhatsApp's own: its bots', its announcements' (Baileys and whatsmeow list them). */
const impersonalNumber = /^(?:1313555\d{4}|131655500\d{2}|16505361212)$/;

/** The servers of people's accounts. `hosted`: the account's devices on Meta's side. */
const accountServers: Readonly<Record<string, "phone" | "lid">> = {
  "s.whatsapp.net": "phone",
  "c.us": "phone",
  "hosted": "phone",
  "lid": "lid",
  "hosted.lid": "lid",
};
const jidPattern = /^([^@]*)@([^@]+)$/;
/** An account's name on its server: digits, before an agent (`_1`, `.0`) and a device (`:12`). */
const accountPattern = /^\+?(\d+)(?:[._]\d{1,3})?(?::\d+)?$/;
const formattedPhone = /^\+?\d[\d\s().-]*$/;
const groupPattern = /(?:@g\.us|-group)$/i;

/**
 * The addresses in an event: the one to reply to, and further addresses of the same person. Of those,
 * the parent user id and the username identify the person, and no message goes to them.
 */
export interface EventAddresses {
  readonly address: string;
  readonly otherAddresses: readonly string[];
}

/**
 * A username among a person's addresses: marked, so that it is never taken for another address. With or
 * without `@`, and in any case, it is the same one. Undefined for a blank one.
 */
export function toUsernameIdentity(username: string): string | undefined {
  const name = username.trim().replace(/^@+/, "").toLowerCase();
  return name === "" ? undefined : `username:${name}`;
}

/** What marks a username among addresses. */
export const usernameMark = "username:";

/** Whether one of a person's identities is a username. */
export function isUsernameIdentity(identity: string): boolean {
  return identity.startsWith(usernameMark);
}

/** The number of a gateway's own session, in digits; undefined for what is no number. */
export function readSessionPhone(value: unknown): string | undefined {
  const address = normalizeAddress(value) ?? "";
  return /^\d{8,15}$/.test(address) ? address : undefined;
}

/** Whether the address is that of a group chat. */
export function isGroupAddress(address: unknown): boolean {
  return typeof address === "string" && groupPattern.test(address.trim());
}

/**
 * Normalises a person's address for comparison. A phone becomes its digits, in any notation, on any
 * server and from any device; a hidden identity loses its device. Any other address stays unchanged.
 * Returns undefined for values that are not a person's address: `null@c.us` names nobody.
 */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || isImpersonal(value)) return undefined;
  const text = value.trim();
  if (text === "" || text.length > ADDRESS_MAX) return undefined;
  const account = readAccount(text);
  if (account !== undefined) return account.address;
  if (formattedPhone.test(text)) return readNumber(text.replace(/\D/g, ""));
  return /\d/.test(text) || isUserId(text) ? cleanText(text, ADDRESS_MAX) : undefined;
}

/** The address in a JID of an account; without one where the JID names none. Undefined for other texts. */
function readAccount(text: string): { readonly address: string | undefined } | undefined {
  const [, user = "", server = ""] = jidPattern.exec(text) ?? [];
  const name = server.toLowerCase();
  if (!Object.hasOwn(accountServers, name)) return undefined;
  const digits = accountPattern.exec(user)?.[1] ?? "";
  if (accountServers[name] === "phone") return { address: readNumber(digits) };
  return { address: /[1-9]/.test(digits) ? `${digits}@lid` : undefined };
}

/** A number of at least five digits: shorter ones are WhatsApp's own (`0@s.whatsapp.net`). */
function readNumber(digits: string): string | undefined {
  return digits.length >= 5 && /[1-9]/.test(digits) ? digits : undefined;
}

/** A group's address, unchanged: the id of an old group looks like a formatted phone. */
export function readGroupAddress(value: unknown): EventAddresses | undefined {
  if (typeof value !== "string" || isImpersonal(value)) return undefined;
  const address = value.trim();
  if (address === "" || address.length > ADDRESS_MAX) return undefined;
  return { address: cleanText(address, ADDRESS_MAX), otherAddresses: [] };
}

/**
 * Chooses the address to reply to from all that the provider sends for one person: the first phone,
 * else the first other address. Returns undefined if there is no address. Also returns undefined if
 * any candidate is a channel, a broadcast list, a status or a bot, because there is no person then.
 */
export function chooseAddresses(candidates: readonly unknown[]): EventAddresses | undefined {
  if (candidates.some(isImpersonal)) return undefined;
  const known = new Set(candidates.map(normalizeAddress).filter((item) => item !== undefined));
  const [address, ...otherAddresses] = [...known].sort((one, other) => rank(one) - rank(other));
  return address === undefined ? undefined : { address, otherAddresses };
}

/**
 * The same for a message that was typed on the business's own phone: `chat` is where it was written,
 * `own` are the addresses of the phone itself, which a gateway may tell as the chat's too. Undefined for
 * a note to self.
 */
export function chooseChat(
  [chat, ...others]: readonly unknown[],
  own: readonly unknown[],
): EventAddresses | undefined {
  const ours = new Set(own.map(toIdentity).filter((item) => item !== undefined));
  const isOurs = (address: unknown): boolean => ours.has(toIdentity(address) ?? "");
  return isOurs(chat)
    ? undefined
    : chooseAddresses([chat, ...others.filter((address) => !isOurs(address))]);
}

/** What is equal for all spellings of one address; undefined for what is none. */
export function toIdentity(value: unknown): string | undefined {
  const address = normalizeAddress(value);
  return address === undefined ? undefined : identityKeyOf(address);
}

function isImpersonal(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const text = value.trim();
  return impersonalAddress.test(text) ||
    impersonalNumber.test(accountPattern.exec(text.replace(/@[^@]*$/, ""))?.[1] ?? "");
}

function rank(address: string): number {
  return /^\d+$/.test(address) ? 0 : 1;
}
