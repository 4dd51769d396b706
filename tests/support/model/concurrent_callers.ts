/** Callers that act at the same time on one tenant, and what each call was answered when. */

import type { ServiceAnswer } from "../stack/service_process.ts";
import type { SeededRandom } from "../seeded_random.ts";
import { persons } from "./contract_model.ts";
import {
  type Fate,
  fates,
  type Json,
  type ModelTenant,
  type ServiceWorld,
} from "./service_world.ts";

/** What a call was about. */
export type Act =
  | { readonly kind: "send"; readonly text: string; readonly key: string }
  | { readonly kind: "cancel" | "read"; readonly text: string; readonly messageId: string }
  | { readonly kind: "assign"; readonly to: string }
  | { readonly kind: "status"; readonly status: string }
  | { readonly kind: "conversation" };

/** A call of the history. */
export interface HistoryCall {
  readonly act: Act;
  readonly person: number;
  readonly startedAt: number;
  /** Infinity without an answer. */
  readonly endedAt: number;
  readonly answer: ServiceAnswer | null;
}

/** A message that a caller knows to exist. */
interface KnownMessage {
  readonly text: string;
  readonly messageId: string;
  readonly person: number;
}

/** A send that a caller may repeat. */
interface MadeSend {
  readonly text: string;
  readonly key: string;
  readonly person: number;
  readonly body: Json;
}

/** Running callers. */
export interface ConcurrentCallers {
  readonly history: readonly HistoryCall[];
  /** Waits for the calls under way. */
  stop(): Promise<void>;
}

/** Seconds between queued messages. */
export const intervalSeconds = 10;

/** Starts them. Their choices follow from `random`, their interleaving from the machine. */
export function startCallers(
  world: ServiceWorld,
  tenant: ModelTenant,
  random: SeededRandom,
  callers: number,
): ConcurrentCallers {
  const history: HistoryCall[] = [];
  const known: KnownMessage[] = [];
  const sends: MadeSend[] = [];
  let isStopping = false;
  let texts = 0;
  const choose = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random.between(0, items.length))] as Item;
  /** Recent ones are still under way. */
  const chooseRecent = <Item>(items: readonly Item[]): Item => choose(items.slice(-6));
  const make = async (
    act: Act,
    person: number,
    path: string,
    request: Parameters<ServiceWorld["call"]>[2] = {},
  ): Promise<ServiceAnswer | null> => {
    const startedAt = performance.now();
    const answer = await world.call(tenant, path, request);
    const endedAt = answer === null ? Infinity : performance.now();
    history.push({ act, person, startedAt, endedAt, answer });
    // Until the next process is there.
    if (answer === null) await new Promise((resolve) => setTimeout(resolve, 500));
    return answer;
  };
  const send = async (made: MadeSend): Promise<void> => {
    const { text, key, person, body } = made;
    const act: Act = { kind: "send", text, key };
    const answer = await make(act, person, "send-message", { body, idempotencyKey: key });
    const messageId = answer?.body?.messageId;
    if (typeof messageId === "string") known.push({ text, messageId, person });
  };
  const sendNew = async (person: number, phone: string): Promise<void> => {
    texts += 1;
    const fate: Fate = random.between(0, 1) < 0.8 ? "accepted" : choose(fates);
    const lane = choose<Json>([
      {},
      { queued: true, intervalSeconds },
      { queued: true, intervalSeconds },
      { delayMessage: Math.ceil(random.between(0, 3)) },
    ]);
    const text = `m${texts} ${"queued" in lane ? "queued " : ""}${fate}`;
    const body = { phone, messageType: "text", message: text, ...lane };
    const made = { text, key: crypto.randomUUID(), person, body };
    sends.push(made);
    // As a caller that loses patience does.
    if (random.between(0, 1) < 0.2) await Promise.all([send(made), send(made)]);
    else await send(made);
  };
  const act = async (): Promise<void> => {
    const person = Math.floor(random.between(0, persons.length));
    const phone = choose(persons[person]!.phones);
    const chance = random.between(0, 1);
    if (chance < 0.3) return await sendNew(person, phone);
    if (chance < 0.35 && sends.length > 0) return await send(chooseRecent(sends));
    if (chance < 0.6 && known.length > 0) {
      const { text, messageId, person: of } = chooseRecent(known);
      const kind = random.between(0, 1) < 0.4 ? "cancel" : "read";
      const method = kind === "cancel" ? { method: "DELETE" } : {};
      await make({ kind, text, messageId }, of, `messages-api/messages/${messageId}`, method);
    } else if (chance < 0.75) {
      const to = choose(tenant.operators);
      const body = { phone, assignTo: to };
      await make({ kind: "assign", to }, person, "conversations-api/assign", { body });
    } else if (chance < 0.85) {
      const status = choose(["open", "closed", "pending"]);
      const body = { phone, status };
      await make({ kind: "status", status }, person, "conversations-api/status", { body });
    } else {
      const path = `conversations-api/conversations?phone=${phone}`;
      await make({ kind: "conversation" }, person, path);
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopping) await act();
  };
  const running = Promise.all(Array.from({ length: callers }, run));
  return {
    history,
    stop: async () => {
      isStopping = true;
      await running;
    },
  };
}
