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

/** What a call was about. A `number` is one of its person's two. */
export type Act =
  | { readonly kind: "send"; readonly text: string; readonly key: string; readonly number: number }
  | { readonly kind: "cancel" | "read"; readonly text: string; readonly messageId: string }
  | { readonly kind: "assign"; readonly to: string; readonly number: number }
  | { readonly kind: "status"; readonly status: string; readonly number: number }
  | { readonly kind: "conversation" | "listed"; readonly number: number }
  | { readonly kind: "contact" | "erase" | "erasure"; readonly contactId: string }
  | { readonly kind: "merge"; readonly contactId: string; readonly intoContactId: string }
  | { readonly kind: "createBatch"; readonly recipients: readonly BatchRecipient[] }
  | { readonly kind: "batch"; readonly batchId: string; readonly action: string };

/** A recipient of a batch, in the order of its list. */
export interface BatchRecipient {
  readonly text: string;
  readonly person: number;
  readonly number: number;
}

/** A call of the history. */
export interface HistoryCall {
  readonly act: Act;
  /** Null for one about a batch, which has several. */
  readonly person: number | null;
  readonly startedAt: number;
  /** Infinity without an answer. */
  readonly endedAt: number;
  readonly answer: ServiceAnswer | null;
}

/** The spellings of each person's two numbers: two contacts, until a call merges them. */
export const numbers: readonly (readonly (readonly string[])[])[] = persons.map(
  ({ phones }, person) => [
    phones,
    [
      ["5541991112222", "554191112222"],
      ["5551992223333", "555192223333"],
      ["5561993334444", "556193334444"],
    ][person] ?? [],
  ],
);

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
  readonly number: number;
  readonly body: Json;
}

/** Running callers. */
export interface ConcurrentCallers {
  readonly history: readonly HistoryCall[];
  /** Waits for the calls under way. */
  stop(): Promise<void>;
  /** Lets every batch go on that has been paused. */
  resume(): Promise<void>;
  /** Reads all that the calls have named, once more. */
  readAll(): Promise<void>;
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
  const caller = new Caller(world, tenant, random);
  let isStopping = false;
  const running = Promise.all(Array.from({ length: callers }, async () => {
    while (!isStopping) await caller.act();
  }));
  return {
    history: caller.history,
    stop: async () => {
      isStopping = true;
      await running;
    },
    resume: () => caller.resume(),
    readAll: () => caller.readAll(),
  };
}

/** What the callers do, and all that they have learnt. */
class Caller {
  readonly history: HistoryCall[] = [];
  readonly #known: KnownMessage[] = [];
  readonly #sends: MadeSend[] = [];
  /** Ids of contacts, by person, in the order in which answers named them. */
  readonly #contactIds = persons.map((): string[] => []);
  /** Which one a number had last. */
  readonly #latest = new Map<string, string>();
  readonly #erasures: {
    readonly id: string;
    readonly person: number;
    readonly contactId: string;
  }[] = [];
  readonly #batchIds: string[] = [];
  #texts = 0;

  constructor(
    readonly world: ServiceWorld,
    readonly tenant: ModelTenant,
    readonly random: SeededRandom,
  ) {}

  #choose<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random.between(0, items.length))] as Item;
  }

  /** Recent ones are still under way. */
  #chooseRecent<Item>(items: readonly Item[]): Item {
    return this.#choose(items.slice(-6));
  }

  #happens(chance: number): boolean {
    return this.random.between(0, 1) < chance;
  }

  #drawFate(): Fate {
    return this.#happens(0.8) ? "accepted" : this.#choose(fates);
  }

  #drawNumber(): number {
    return this.#happens(0.7) ? 0 : 1;
  }

  #phoneOf(person: number, number: number): string {
    return this.#choose(numbers[person]?.[number] ?? []);
  }

  async #make(
    act: Act,
    person: number | null,
    path: string,
    request: Parameters<ServiceWorld["call"]>[2] = {},
  ): Promise<ServiceAnswer | null> {
    const startedAt = performance.now();
    const answer = await this.world.call(this.tenant, path, request);
    const endedAt = answer === null ? Infinity : performance.now();
    this.history.push({ act, person, startedAt, endedAt, answer });
    if (answer !== null && person !== null) this.#learn(act, person, answer);
    if (answer === null) await this.world.untilStarted();
    return answer;
  }

  #learn(act: Act, person: number, { status, body }: ServiceAnswer): void {
    const contactId = body?.contactId ?? body?.items?.[0]?.contactId;
    if (status >= 300 || typeof contactId !== "string") return;
    const ids = this.#contactIds[person]!;
    if (!ids.includes(contactId)) ids.push(contactId);
    if ("number" in act) this.#latest.set(`${person} ${act.number}`, contactId);
  }

  /** One call, or two that are the same. */
  async act(): Promise<void> {
    const person = Math.floor(this.random.between(0, persons.length));
    const number = this.#drawNumber();
    const chance = this.random.between(0, 1);
    if (chance < 0.26) return await this.#sendNew(person, number);
    if (chance < 0.31 && this.#sends.length > 0) {
      return await this.#send(this.#chooseRecent(this.#sends));
    }
    if (chance < 0.5 && this.#known.length > 0) return await this.#actOnMessage();
    if (chance < 0.72) return await this.#changeConversation(person, number);
    if (chance < 0.8) return await this.#readConversation(person, number);
    if (chance < 0.93) return await this.#actOnContact(person, number);
    await this.#actOnBatch();
  }

  async #sendNew(person: number, number: number): Promise<void> {
    this.#texts += 1;
    const lane = this.#choose<Json>([
      {},
      { queued: true, intervalSeconds },
      { queued: true, intervalSeconds },
      { delayMessage: Math.ceil(this.random.between(0, 3)) },
    ]);
    const text = `m${this.#texts} ${"queued" in lane ? "queued " : ""}${this.#drawFate()}`;
    const phone = this.#phoneOf(person, number);
    const body = { phone, messageType: "text", message: text, ...lane };
    const made = { text, key: crypto.randomUUID(), person, number, body };
    this.#sends.push(made);
    // As a caller that loses patience does.
    if (this.#happens(0.2)) await Promise.all([this.#send(made), this.#send(made)]);
    else await this.#send(made);
  }

  async #send({ text, key, person, number, body }: MadeSend): Promise<void> {
    const act: Act = { kind: "send", text, key, number };
    const answer = await this.#make(act, person, "send-message", { body, idempotencyKey: key });
    const messageId = answer?.body?.messageId;
    if (typeof messageId === "string") this.#known.push({ text, messageId, person });
  }

  async #actOnMessage(): Promise<void> {
    const { text, messageId, person } = this.#chooseRecent(this.#known);
    const kind = this.#happens(0.4) ? "cancel" : "read";
    const method = kind === "cancel" ? { method: "DELETE" } : {};
    await this.#make(
      { kind, text, messageId },
      person,
      `messages-api/messages/${messageId}`,
      method,
    );
  }

  async #changeConversation(person: number, number: number): Promise<void> {
    const phone = this.#phoneOf(person, number);
    if (this.#happens(0.6)) {
      const to = this.#choose(this.tenant.operators);
      const body = { phone, assignTo: to };
      await this.#make({ kind: "assign", to, number }, person, "conversations-api/assign", {
        body,
      });
    } else {
      const status = this.#choose(["open", "closed", "pending"]);
      const body = { phone, status };
      await this.#make(
        { kind: "status", status, number },
        person,
        "conversations-api/status",
        { body },
      );
    }
  }

  async #readConversation(person: number, number: number): Promise<void> {
    const phone = this.#phoneOf(person, number);
    const [kind, path] = this.#happens(0.5)
      ? ["conversation", "conversations-api/conversations"] as const
      : ["listed", "contacts-api/contacts"] as const;
    await this.#make({ kind, number }, person, `${path}?phone=${phone}`);
  }

  /** Reads a contact, merges two, or forgets the person. */
  async #actOnContact(person: number, number: number): Promise<void> {
    const ids = this.#contactIds[person]!;
    if (ids.length === 0) return;
    if (this.#happens(0.5)) return await this.#readContact(person, this.#chooseRecent(ids));
    if (this.#happens(0.2)) {
      return await this.#erase(person, this.#latest.get(`${person} ${number}`));
    }
    const latest = [0, 1].map((one) => this.#latest.get(`${person} ${one}`));
    // Those of today, or any two, that may have been merged or erased before.
    const [from, into] = this.#happens(0.6)
      ? number === 0 ? latest : latest.toReversed()
      : [this.#chooseRecent(ids), this.#chooseRecent(ids)];
    if (from === undefined || into === undefined || from === into) return;
    const body = { contactId: from, intoContactId: into };
    await this.#make({ kind: "merge", ...body }, person, "contacts-api/merge", { body });
  }

  async #readContact(person: number, contactId: string): Promise<void> {
    await this.#make({ kind: "contact", contactId }, person, `contacts-api/contacts/${contactId}`);
  }

  async #erase(person: number, contactId: string | undefined): Promise<void> {
    if (contactId === undefined) return;
    const path = `contacts-api/contacts/${contactId}`;
    const answer = await this.#make({ kind: "erase", contactId }, person, path, {
      method: "DELETE",
    });
    const id = answer?.body?.erasureId;
    if (typeof id !== "string") return;
    this.#erasures.push({ id, person, contactId });
    await this.#readErasure({ id, person, contactId });
  }

  async #readErasure(
    { id, person, contactId }: { id: string; person: number; contactId: string },
  ): Promise<void> {
    await this.#make({ kind: "erasure", contactId }, person, `contacts-api/erasures/${id}`);
  }

  async #actOnBatch(): Promise<void> {
    if (this.#batchIds.length > 0 && this.#happens(0.75)) {
      const action = this.#choose(["start", "pause", "resume", "cancel", "read", "read"]);
      return await this.#changeBatch(this.#chooseRecent(this.#batchIds), action);
    }
    const batchId = await this.#createBatch();
    if (batchId !== null && this.#happens(0.8)) await this.#changeBatch(batchId, "start");
  }

  async #createBatch(): Promise<string | null> {
    const first = Math.floor(this.random.between(0, persons.length));
    const [second, other] = [(first + 1) % persons.length, this.#drawNumber()];
    // Both numbers of one person are two recipients, unless they are known to be one.
    const recipients = [[first, 0], [first, 1], [second, other]].map(([person, number]) => {
      this.#texts += 1;
      const text = `m${this.#texts} queued ${this.#drawFate()}`;
      return { text, person: person!, number: number! };
    });
    const answer = await this.#make(
      { kind: "createBatch", recipients },
      null,
      "batches-api/batches",
      {
        body: {
          message: { messageType: "text", message: "{{text}}" },
          intervalSeconds,
          recipients: recipients.map(({ text, person, number }) => ({
            phone: this.#phoneOf(person, number),
            variables: { text },
          })),
        },
      },
    );
    const batchId: string | undefined = answer?.body?.batchId;
    if (batchId === undefined) return null;
    this.#batchIds.push(batchId);
    return batchId;
  }

  async #changeBatch(batchId: string, action: string): Promise<void> {
    const path = `batches-api/batches/${batchId}`;
    const act: Act = { kind: "batch", batchId, action };
    if (action === "read") await this.#make(act, null, path);
    else await this.#make(act, null, `${path}/${action}`, { body: {} });
  }

  async resume(): Promise<void> {
    for (const batchId of this.#batchIds) await this.#changeBatch(batchId, "resume");
  }

  async readAll(): Promise<void> {
    for (const erasure of this.#erasures) await this.#readErasure(erasure);
    for (const [person] of persons.entries()) {
      for (const contactId of this.#contactIds[person]!) await this.#readContact(person, contactId);
      for (const number of [0, 1]) await this.#readConversation(person, number);
    }
    for (const batchId of this.#batchIds) await this.#changeBatch(batchId, "read");
  }
}
