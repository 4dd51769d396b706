/** WhatsApp's own refusals, by the numbers that gateways pass on: in their answers, or in a later status. */
import type { RefusalMeaning } from "../model/refusal_meaning.ts";

/** A refusal's code, and what it means beyond its message; undefined for nothing. */
export interface WhatsappRefusal {
  readonly code: string;
  readonly meaning?: RefusalMeaning;
}

/** The lock on new chats: 463, `NackCallerReachoutTimelocked`. It has our name, because callers act by it. */
export const newChatLocked = {
  code: "new_chat_locked",
  meaning: "new_chat_locked",
} as const satisfies WhatsappRefusal;

/** Reads WhatsApp's number of a refusal, as a text or as a number; undefined for anything else. */
export function readWhatsappRefusal(number: unknown): WhatsappRefusal | undefined {
  const text = typeof number === "number" ? String(number) : number;
  if (typeof text !== "string" || !/^\d{3}$/.test(text)) return undefined;
  return text === "463" ? newChatLocked : { code: text };
}
