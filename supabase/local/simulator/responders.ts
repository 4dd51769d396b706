import { identityKeyOf } from "../../../shared/model/phone.ts";
import type { SimulatedReply } from "./records.ts";
import type { Store } from "./store.ts";

/** Who answers a customer: the service, the number's Business Agent, or another app of the business. */
export const responderKinds = ["service", "agent", "other"] as const;
export type Responder = (typeof responderKinds)[number];

/** A conversation is nobody's when its customer has not written for this long (page Conversation routing). */
const holdMs = 24 * 60 * 60 * 1_000;
/** Maximum number of remembered conversations; the oldest are dropped. */
const capacity = 50_000;

interface Hold {
  readonly responder: Responder;
  readonly sinceMs: number;
}

/**
 * The responders of the official channel's numbers, and who of them holds which conversation. A number has the
 * service alone until its Business Agent is switched on, which then gets what new customers write.
 */
export class Responders {
  readonly #agents = new Map<string, { readonly isEscalation: boolean }>();
  readonly #holds = new Map<string, Hold>();

  constructor(private readonly store: Store) {}

  /** Switches a number's Business Agent on or off. `isEscalation`: whether the service may take conversations. */
  setAgent(instance: string, isOn: boolean, isEscalation: boolean): void {
    if (isOn) this.#agents.set(instance, { isEscalation });
    else {
      this.#agents.delete(instance);
      for (const key of this.#holds.keys()) {
        if (key.startsWith(`${instance} `)) this.#holds.delete(key);
      }
    }
  }

  /** Whether a number has a Business Agent. */
  hasAgent(instance: string): boolean {
    return this.#agents.has(instance);
  }

  /** Whether the service may take conversations of a number. */
  isEscalation(instance: string): boolean {
    return this.#agents.get(instance)?.isEscalation ?? true;
  }

  /** Who gets the next message of a customer. */
  holderOf(instance: string, waId: string): Responder {
    const hold = this.#holds.get(keyOf(instance, waId));
    const isOver = hold === undefined || this.#nowMs - hold.sinceMs > holdMs;
    return isOver ? this.hasAgent(instance) ? "agent" : "service" : hold.responder;
  }

  /** Gives a conversation to somebody; null to nobody. */
  give(instance: string, waId: string, responder: Responder | null): void {
    const key = keyOf(instance, waId);
    this.#holds.delete(key);
    if (responder === null) return;
    this.#holds.set(key, { responder, sinceMs: this.#nowMs });
    const [oldest] = this.#holds.keys();
    if (this.#holds.size > capacity && oldest !== undefined) this.#holds.delete(oldest);
  }

  /**
   * Records that a customer writes, by which the holder keeps the conversation. Of a number that has the service
   * alone, nothing is kept. @returns who gets the message.
   */
  recordInbound({ instance, waId }: Pick<SimulatedReply, "instance" | "waId">): Responder {
    const holder = this.holderOf(instance, waId);
    const isKept = this.hasAgent(instance) || this.#holds.has(keyOf(instance, waId));
    if (isKept) this.give(instance, waId, holder);
    return holder;
  }

  get #nowMs(): number {
    return this.store.now().getTime();
  }
}

/** Both forms of a Brazilian mobile identify one customer. */
function keyOf(instance: string, waId: string): string {
  return `${instance} ${identityKeyOf(waId)}`;
}
