/**
 * Addresses of people and groups as providers write them. A phone is digits with country code; who
 * shows no phone keeps the provider's own address (`...@lid`, a business-scoped user id), and so
 * does a group (`...@g.us`, Z-API's `...-group`): that is what a message to them is sent to.
 */
import { cleanText } from "../../model/json_value.ts";

const ADDRESS_MAX = 200;

/** Channels, status updates and broadcast lists (Z-API: `...-broadcast`): nobody to be answered. */
const publicAddress = /[@-](?:broadcast|newsletter)$/i;
/** The devices of one account are told apart by `:12`, on some servers after an agent `_1`. */
const jidPattern = /^(\d+)(?:_\d+)?(?::\d+)?@(s\.whatsapp\.net|c\.us|lid)$/i;
const formattedPhone = /^\+?\d[\d\s().-]*$/;
const groupPattern = /(?:@g\.us|-group)$/i;

/** The two sides of an event: where it is answered, and what else names the same person. */
export interface EventAddresses {
  readonly address: string;
  readonly otherAddresses: readonly string[];
}

/** Whether the address is a group chat's. */
export function isGroupAddress(address: unknown): boolean {
  return typeof address === "string" && groupPattern.test(address.trim());
}

/**
 * A person's address in the one form in which it is compared: digits of a phone, however it was
 * written and from whatever device; anything else as it is. Undefined for what is nobody's address.
 */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text === "" || text.length > ADDRESS_MAX || isPublicAddress(text)) return undefined;
  const [, user, server] = jidPattern.exec(text) ?? [];
  if (user !== undefined && server?.toLowerCase() === "lid") return `${user}@lid`;
  const digits = user ?? (formattedPhone.test(text) ? text.replace(/\D/g, "") : undefined);
  if (digits === undefined) return cleanText(text, ADDRESS_MAX);
  // Shorter ones are WhatsApp's own (`0@s.whatsapp.net`).
  return digits.length >= 5 ? digits : undefined;
}

/** A group's address, as it is: the id of an old group looks like a formatted phone. */
export function readGroupAddress(value: unknown): EventAddresses | undefined {
  if (typeof value !== "string" || isPublicAddress(value)) return undefined;
  const address = value.trim();
  if (address === "" || address.length > ADDRESS_MAX) return undefined;
  return { address: cleanText(address, ADDRESS_MAX), otherAddresses: [] };
}

/**
 * The address among what the provider says of one person: the first phone, else the first of the
 * others. Undefined where there is none, and for whoever writes to a channel, a list or a status:
 * that is said to nobody in particular, by whomever it is.
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
