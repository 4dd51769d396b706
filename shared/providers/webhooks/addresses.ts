/**
 * Addresses of people and groups as providers write them. A phone is digits with country code. A
 * person without a visible phone keeps the provider's own address (`...@lid`, a business-scoped
 * user id). A group also keeps its own address (`...@g.us`, Z-API's `...-group`). Messages are sent
 * to these addresses.
 */
import { cleanText } from "../../model/json_value.ts";

const ADDRESS_MAX = 200;

/**
 * Channels, status updates and broadcast lists (Z-API: `...-broadcast`). They cannot be replied to.
 */
const publicAddress = /[@-](?:broadcast|newsletter)$/i;
/** The device suffix of an account's address: `:12`, on some servers after an agent suffix `_1`. */
const jidPattern = /^(\d+)(?:_\d+)?(?::\d+)?@(s\.whatsapp\.net|c\.us|lid)$/i;
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

/** Whether the address is that of a group chat. */
export function isGroupAddress(address: unknown): boolean {
  return typeof address === "string" && groupPattern.test(address.trim());
}

/**
 * Normalises a person's address for comparison. A phone becomes its digits, in any notation and
 * from any device. Any other address stays unchanged. Returns undefined for values that are not a
 * person's address.
 */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text === "" || text.length > ADDRESS_MAX || isPublicAddress(text)) return undefined;
  const [, user, server] = jidPattern.exec(text) ?? [];
  if (user !== undefined && server?.toLowerCase() === "lid") return `${user}@lid`;
  const digits = user ?? (formattedPhone.test(text) ? text.replace(/\D/g, "") : undefined);
  if (digits === undefined) return cleanText(text, ADDRESS_MAX);
  // Shorter numbers are WhatsApp's own (`0@s.whatsapp.net`).
  return digits.length >= 5 ? digits : undefined;
}

/** A group's address, unchanged: the id of an old group looks like a formatted phone. */
export function readGroupAddress(value: unknown): EventAddresses | undefined {
  if (typeof value !== "string" || isPublicAddress(value)) return undefined;
  const address = value.trim();
  if (address === "" || address.length > ADDRESS_MAX) return undefined;
  return { address: cleanText(address, ADDRESS_MAX), otherAddresses: [] };
}

/**
 * Chooses the address to reply to from all that the provider sends for one person: the first phone,
 * else the first other address. Returns undefined if there is no address. Also returns undefined if
 * any candidate is a channel, a broadcast list or a status, because such posts have no individual
 * recipient.
 */
export function chooseAddresses(candidates: readonly unknown[]): EventAddresses | undefined {
  if (candidates.some(isPublicAddress)) return undefined;
  const known = new Set(candidates.map(normalizeAddress).filter((item) => item !== undefined));
  const [address, ...otherAddresses] = [...known].sort((one, other) => rank(one) - rank(other));
  return address === undefined ? undefined : { address, otherAddresses };
}

function isPublicAddress(value: unknown): boolean {
  return typeof value === "string" && publicAddress.test(value.trim());
}

function rank(address: string): number {
  return /^\d+$/.test(address) ? 0 : 1;
}
