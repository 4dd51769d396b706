import { identityKeyOf } from "../../../shared/model/phone.ts";
import type { SimulatedMessage, SimulatedReply } from "./records.ts";
import type { Store } from "./store.ts";

const hourMs = 60 * 60 * 1_000;
/** Within this time of a message from an ad or post, the first answer opens the free entry point. */
const answerMs = 24 * hourMs;
/** For this long after that answer nothing is billed. */
const freeMs = 72 * hourMs;
/** Most chats that are remembered; the oldest are dropped. */
const capacity = 10_000;

type Chat = Pick<SimulatedMessage, "provider" | "instance" | "waId">;

/** When a person whom an ad or post brought wrote, and until when its chat is free. */
interface Entry {
  readonly writtenMs: number;
  readonly isAnswered: boolean;
  /** Also of an earlier message, while this one is not answered. 0 for none. */
  readonly freeUntilMs: number;
}

/**
 * Records until when a channel that bills messages bills none in a chat that an ad or post has brought.
 * Subscribes to the store, and keeps its records when a log is cleared.
 */
export class FreeEntryPoints {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly store: Store) {
    store.subscribe((event) => {
      if (event.type !== "added") return;
      if (event.kind === "replies") this.#write(event.record as SimulatedReply);
      if (event.kind === "messages") this.#answer(event.record as SimulatedMessage);
    });
  }

  /** Whether a message that arrives now in this chat is free, where the channel bills messages. */
  isFree(chat: Chat): boolean {
    const freeUntilMs = this.#entries.get(keyOf(chat))?.freeUntilMs ?? 0;
    return this.store.now().getTime() < freeUntilMs;
  }

  #write({ writtenBy, parts, receivedAt, ...chat }: SimulatedReply): void {
    if (writtenBy !== "customer" || parts?.referral === undefined) return;
    const key = keyOf(chat);
    const freeUntilMs = this.#entries.get(key)?.freeUntilMs ?? 0;
    this.#entries.delete(key);
    this.#entries.set(key, { writtenMs: Date.parse(receivedAt), isAnswered: false, freeUntilMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > capacity && oldest !== undefined) this.#entries.delete(oldest);
  }

  #answer({ messageType, receivedAt, ...chat }: SimulatedMessage): void {
    if (messageType === "reaction") return;
    const key = keyOf(chat);
    const entry = this.#entries.get(key);
    const sentMs = Date.parse(receivedAt);
    if (entry === undefined || entry.isAnswered || sentMs - entry.writtenMs >= answerMs) return;
    this.#entries.set(key, { ...entry, isAnswered: true, freeUntilMs: sentMs + freeMs });
  }
}

/** Both forms of a Brazilian mobile identify one customer. */
function keyOf({ provider, instance, waId }: Chat): string {
  return `${provider} ${instance} ${identityKeyOf(waId)}`;
}
