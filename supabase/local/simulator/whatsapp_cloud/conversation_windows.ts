import { identityKeyOf } from "../../../../shared/model/phone.ts";
import type { SimulatedReply } from "../records.ts";
import type { Store } from "../store.ts";

/** The official channel accepts free text for this long after the customer's last message. */
const windowMs = 24 * 60 * 60 * 1_000;
/** Maximum number of stored windows; the oldest are dropped. */
const capacity = 50_000;

/**
 * Records when each customer last wrote to each number of the official channel. It subscribes to
 * the store and keeps its records when a log is cleared.
 */
export class ConversationWindows {
  readonly #lastWrittenMs = new Map<string, number>();

  constructor(private readonly store: Store) {
    store.subscribe((event) => {
      if (event.type !== "added" || event.kind !== "replies") return;
      const reply = event.record as SimulatedReply;
      if (reply.provider !== "whatsapp_cloud" || reply.writtenBy !== "customer") return;
      this.#remember(keyOf(reply.instance, reply.waId), Date.parse(reply.receivedAt));
    });
  }

  /** Whether a number may send this customer free text, not only templates. */
  isOpen(instance: string, waId: string): boolean {
    const writtenMs = this.#lastWrittenMs.get(keyOf(instance, waId));
    return writtenMs !== undefined && this.store.now().getTime() - writtenMs < windowMs;
  }

  #remember(key: string, writtenMs: number): void {
    const knownMs = this.#lastWrittenMs.get(key) ?? 0;
    this.#lastWrittenMs.delete(key);
    this.#lastWrittenMs.set(key, Math.max(knownMs, writtenMs));
    const [oldest] = this.#lastWrittenMs.keys();
    if (this.#lastWrittenMs.size > capacity && oldest !== undefined) {
      this.#lastWrittenMs.delete(oldest);
    }
  }
}

/** Both forms of a Brazilian mobile identify one customer. */
function keyOf(instance: string, waId: string): string {
  return `${instance} ${identityKeyOf(waId)}`;
}
