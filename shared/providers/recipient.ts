/** Recipients that a channel cannot address: messages of such a contact need its phone. */
import type { Receipt } from "./provider.ts";

const userIdPattern = /^[A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128}$/;

/** Whether the address is a business-scoped user id, which exists on the official channel alone. */
export function isUserId(address: string): boolean {
  return userIdPattern.test(address);
}

/** Whether it is a parent user id, which several accounts of one business share. */
export function isParentUserId(address: string): boolean {
  return isUserId(address) && address.slice(2).startsWith(".ENT.");
}

/** Whether the address is a LID, which gateways alone know. */
export function isLid(address: string): boolean {
  return address.endsWith("@lid");
}

const groupSuffix = "@g.us";

/** A group's address, where the channel names a group by digits alone. */
export function toGroupAddress(groupId: string): string {
  return `${groupId}${groupSuffix}`;
}

/** The digits of such an address; null for any other. */
export function readGroupId(address: string): string | null {
  return address.endsWith(groupSuffix) ? address.slice(0, -groupSuffix.length) : null;
}

/** The outcome of a message to an address that the channel does not know. It is not called. */
export const recipientNeedsPhone: Extract<Receipt, { readonly outcome: "rejected" }> = {
  outcome: "rejected",
  code: "recipient_needs_phone",
  message: "This channel cannot reach the contact without its phone number.",
  retryable: false,
  scope: "message",
};
