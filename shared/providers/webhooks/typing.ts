/** What gateways tell of a person who is writing. */
import { chooseAddresses, isGroupAddress, readGroupAddress } from "./addresses.ts";
import type { TypingEvent } from "./provider_event.ts";

/** Baileys says composing, WAHA typing; voice messages are recorded. The others end it, or are about being online. */
const typingWords: ReadonlySet<string> = new Set(["composing", "typing", "recording"]);

/** The event of a chat in which somebody has one of these states; none where nobody writes. */
export function readTyping(chat: unknown, states: readonly unknown[]): TypingEvent[] {
  const isTyping = states.some((state) =>
    typeof state === "string" && typingWords.has(state.toLowerCase())
  );
  const addresses = isGroupAddress(chat) ? readGroupAddress(chat) : chooseAddresses([chat]);
  return isTyping && addresses !== undefined ? [{ kind: "typing", ...addresses }] : [];
}
