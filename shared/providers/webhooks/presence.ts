/** What gateways tell of a person who is in a chat. */
import { chooseAddresses, isGroupAddress, readGroupAddress } from "./addresses.ts";
import type { PresenceEvent } from "./provider_event.ts";

/** Baileys says composing, WAHA typing; voice messages are recorded. The others end it, or are about being online. */
const typingWords: ReadonlySet<string> = new Set(["composing", "typing", "recording"]);

/** The event of a chat whose persons have these states; none where the chat or every state is missing. */
export function readPresence(chat: unknown, states: readonly unknown[]): PresenceEvent[] {
  const words = states.filter((state) => typeof state === "string");
  const isTyping = words.some((word) => typingWords.has(word.toLowerCase()));
  const addresses = isGroupAddress(chat) ? readGroupAddress(chat) : chooseAddresses([chat]);
  return words.length > 0 && addresses !== undefined
    ? [{ kind: "presence", isTyping, ...addresses }]
    : [];
}
