/** Lives of questions: what happens to one person's questions, drawn by a seed, made against the service. */

import { letWaitingLeave, moveBack } from "../database/question_time.ts";
import type { Tenant } from "../fixtures/tenant.ts";
import { createSeededRandom } from "../seeded_random.ts";
import type { Answer } from "../stack/messaging_stack.ts";
import { waitUntil } from "../wait_until.ts";
import type { Sql } from "postgres";
import { require } from "./contract_breach.ts";
import {
  answerWithinSeconds,
  type How,
  lateSeconds,
  type ModelEvent,
  QuestionModel,
} from "./question_model.ts";
import { liveStates, nameState, type QuestionState } from "./question_state.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a life is made against. */
export interface LivesWorld {
  readonly admin: Sql;
  readonly notifyUrl: string;
  send(tenant: Tenant, body: Json): Promise<Answer>;
  post(tenant: Tenant, path: string, body: Json): Promise<Answer>;
  request(tenant: Tenant, method: "GET" | "DELETE", path: string): Promise<Answer>;
  /** A text from a phone, written so many seconds ago. */
  say(tenant: Tenant, phone: string, words: string, secondsAgo: number): Promise<void>;
  /** The channel says that a message of its own could not be delivered. */
  fail(tenant: Tenant, phone: string, providerMessageId: string): Promise<void>;
}

/** What is left of a life when it is over. */
export interface LivedQuestion {
  readonly name: string;
  readonly questionId: string;
  readonly state: QuestionState;
  /** Whether it was open when its reminder was due, and not yet over. */
  readonly mayRemind: boolean;
  /** Whether its person was erased: what had been told before is gone. */
  readonly isErased: boolean;
}

interface Asked {
  readonly name: string;
  readonly contact: number;
  /** Null while its call is under way. */
  providerMessageId: string | null;
  isWaiting: boolean;
  seconds: number;
  mayRemind: boolean;
}

/** An act: what the model is told, and what is done. */
interface Act {
  readonly name: string;
  readonly events: readonly ModelEvent[];
  readonly run: () => Promise<unknown>;
}

const remindAfterSeconds = 600;
const hows: readonly How[] = ["fits", "fits", "fits", "late", "invalid", "stop"];

/** Lives one life, of two contacts that may be merged. @throws {Error} that names the seed and what was done. */
export async function liveQuestions(
  world: LivesWorld,
  tenant: Tenant,
  seed: number,
  number: number,
): Promise<readonly LivedQuestion[]> {
  const life = new Life(world, tenant, seed, number);
  try {
    return await life.live();
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new Error(`seed ${seed}, ${life.story.join("; ")}: ${told}`, { cause: error });
  }
}

class Life {
  readonly story: string[] = [];
  readonly #model = new QuestionModel();
  readonly #random;
  readonly #asked: Asked[] = [];
  readonly #phones: readonly string[];
  #said = 0;
  #isMerged = false;
  #isErased = false;

  constructor(
    readonly world: LivesWorld,
    readonly tenant: Tenant,
    seed: number,
    readonly number: number,
  ) {
    this.#random = createSeededRandom(seed);
    this.#phones = [0, 1].map((contact) => `55119${80_000_000 + number * 2 + contact}`);
  }

  #choose<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random.between(0, items.length))] as Item;
  }

  async live(): Promise<readonly LivedQuestion[]> {
    for (const phone of this.#phones) await this.world.say(this.tenant, phone, "oi", 0);
    const steps = Math.floor(this.#random.between(3, 8));
    for (let step = 0; step < steps; step++) await this.#make(this.#drawActs(step));
    if (this.#random.between(0, 1) < 0.15) {
      await this.#make([this.#erase(), ...this.#random.between(0, 1) < 0.5 ? [this.#say()] : []]);
    }
    for (const asked of this.#asked.filter(({ isWaiting }) => isWaiting)) {
      await this.#make([this.#release(asked)]);
    }
    for (const asked of this.#asked) {
      await this.#make([this.#age(asked, answerWithinSeconds + 100)]);
    }
    await waitUntil(async () => !(await this.#read()).some(([, state]) => state === "open"), {
      what: "the end of all questions",
    });
    const ended = await this.#observe();
    return this.#asked.map(({ name, mayRemind }) => ({
      name,
      questionId: this.#ids.get(name) ?? "",
      state: ended[name] ?? "missing",
      mayRemind,
      isErased: this.#isErased,
    }));
  }

  readonly #ids = new Map<string, string>();

  /** One act that takes time, or up to three at once. */
  #drawActs(step: number): Act[] {
    const chance = this.#random.between(0, 1);
    const waiting = this.#asked.filter(({ isWaiting }) => isWaiting);
    if (step > 0 && chance < 0.15) {
      return [this.#age(
        this.#choose(this.#asked),
        this.#random.between(0, 1) < 0.5 ? remindAfterSeconds + 100 : answerWithinSeconds + 100,
      )];
    }
    if (waiting.length > 0 && chance < 0.35) {
      const acts = [this.#release(this.#choose(waiting))];
      return this.#random.between(0, 1) < 0.5 ? acts : [...acts, this.#say()];
    }
    const number = this.#choose([1, 1, 2, 3]);
    return Array.from({ length: number }, () => step === 0 ? this.#ask() : this.#drawAct());
  }

  #drawAct(): Act {
    const chance = this.#random.between(0, 1);
    if (chance < 0.25) return this.#ask();
    if (chance < 0.7) return this.#say();
    if (chance < 0.82) return this.#cancel(this.#choose(this.#asked));
    const left = this.#asked.filter(({ providerMessageId }) => providerMessageId !== null);
    if (chance < 0.93 && left.length > 0) return this.#fail(this.#choose(left));
    return this.#isMerged ? this.#say() : this.#merge();
  }

  async #make(acts: readonly Act[]): Promise<void> {
    this.story.push(acts.map(({ name }) => name).join(" + "));
    this.#model.act(acts.map(({ events }) => events));
    await Promise.all(acts.map(({ run }) => run()));
    await this.#observe();
  }

  async #observe(): Promise<Record<string, QuestionState>> {
    const seen = Object.fromEntries(await this.#read());
    if (!this.#isErased) this.#lastSeen = seen;
    if (this.#isErased) Object.assign(seen, await this.#readErased());
    // Time goes on until the look.
    this.#model.act([]);
    this.#model.observe(seen);
    return seen;
  }

  /** An erasure deletes the rows, and the events of what had ended before it. */
  async #readErased(): Promise<Record<string, QuestionState>> {
    const rows = await this.world.admin<{ id: string }[]>`
      select data->>'questionId' as id from messaging.events
      where instance_id = ${this.tenant.instanceId} and type = 'question.canceled'
        and data->>'reason' = 'erased' and data->>'questionId' = any (${[...this.#ids.values()]})`;
    const ended = new Set(rows.map(({ id }) => id));
    return Object.fromEntries(this.#asked.map(({ name }) => {
      const known = this.#lastSeen[name];
      if (known !== undefined && !liveStates.includes(known)) return [name, known];
      return [name, ended.has(this.#ids.get(name) ?? "") ? "canceled:erased" : "ended"];
    }));
  }

  /** Before the erasure. */
  #lastSeen: Readonly<Record<string, QuestionState>> = {};

  async #read(): Promise<[string, QuestionState][]> {
    const rows = await this.world.admin<Record<string, string>[]>`
      select q.key, q.id, q.status, q.reason, answer.message as words
      from messaging.questions q
      left join messaging.messages answer on answer.id = q.answer_message_id
      where q.instance_id = ${this.tenant.instanceId} and q.key like ${`L${this.number}Q%`}`;
    return rows.map(({ key, id, status, reason, words }) => {
      this.#ids.set(key!, id!);
      return [key!, nameState(status!, { words, reason })];
    });
  }

  #ask(): Act {
    const name = `L${this.number}Q${this.#asked.length}x`;
    const contact = this.#choose([0, 0, 1]);
    const isAccepted = this.#random.between(0, 1) < 0.85;
    const isWaiting = this.#random.between(0, 1) < 0.25;
    const asked: Asked = {
      ...{ name, contact, isWaiting },
      ...{ providerMessageId: null, seconds: 0, mayRemind: false },
    };
    this.#asked.push(asked);
    const body = {
      ...{ phone: this.#phones[contact], messageType: "text" },
      message: `${name} ${isAccepted ? "accepted" : "refused"}`,
      ...(isWaiting ? { delayMessage: 3_600 } : {}),
      ask: {
        ...{ accept: "number", answerWithin: `PT${answerWithinSeconds}S`, key: name },
        ...{ remindAfter: `PT${remindAfterSeconds}S`, reminder: `R ${name}` },
        ...{ onInvalid: `I ${name}`, notifyUrl: `${this.world.notifyUrl}/${name}` },
      },
    };
    const record: ModelEvent = { is: "record", question: name, contact };
    return {
      name: `ask ${name} of ${contact}${isWaiting ? " later" : ""}${isAccepted ? "" : " refused"}`,
      events: isWaiting ? [record] : [record, ...leaving(name, isAccepted)],
      run: async () => {
        const { status, body: answer } = await this.world.send(this.tenant, body);
        const expected = isAccepted || isWaiting ? 200 : 502;
        require(status === expected, `asking: ${status} ${JSON.stringify(answer)}`);
        if (!isWaiting && isAccepted) asked.providerMessageId = answer.providerMessageId;
      },
    };
  }

  /** Its time comes; it is sent by the dispatcher. */
  #release(asked: Asked): Act {
    const { name } = asked;
    asked.isWaiting = false;
    const { admin } = this.world;
    return {
      name: `release ${name}`,
      // Whether it is accepted stands in its words.
      events: leaving(
        name,
        !this.story.join().includes(`${name} of ${asked.contact} later refused`),
      ),
      run: async () => {
        await letWaitingLeave(admin, this.tenant.instanceId, name);
        await waitUntil(async () => {
          const rows = await admin`
            select from messaging.questions q join messaging.messages m on m.id = q.message_id
            where q.instance_id = ${this.tenant.instanceId} and q.key = ${name}
              and m.status in ('queued', 'sending')`;
          return rows.length === 0;
        }, { what: `${name} to leave` });
      },
    };
  }

  #say(): Act {
    const contact = this.#choose([0, 0, 1]);
    const how = this.#choose(hows);
    const words = how === "stop" ? "PARAR" : how === "invalid" ? "doze" : `${++this.#said}`;
    return {
      name: `say ${words} as ${contact}${how === "late" ? " late" : ""}`,
      events: [{ is: "write", words }, { is: "say", contact, words, how }],
      run: () =>
        this.world.say(
          this.tenant,
          this.#phones[contact]!,
          words,
          how === "late" ? lateSeconds : 0,
        ),
    };
  }

  #cancel({ name }: Asked): Act {
    return {
      name: `cancel ${name}`,
      events: [{ is: "cancel", question: name }],
      run: async () => {
        const [row] = await this.world.admin`
          select id from messaging.questions
          where instance_id = ${this.tenant.instanceId} and key = ${name}`;
        if (row === undefined) return;
        const { status } = await this.world.request(
          ...[this.tenant, "DELETE", `/messages-api/questions/${row["id"]}`] as const,
        );
        require([200, 404].includes(status), `canceling: ${status}`);
      },
    };
  }

  #fail({ name, contact, providerMessageId }: Asked): Act {
    return {
      name: `fail ${name}`,
      events: [{ is: "fail", question: name }],
      run: () => this.world.fail(this.tenant, this.#phones[contact]!, providerMessageId!),
    };
  }

  #age(asked: Asked, seconds: number): Act {
    // The time of what has not left does not run.
    const further = asked.isWaiting ? 0 : Math.max(seconds - asked.seconds, 0);
    asked.seconds += further;
    const isDue = asked.seconds >= remindAfterSeconds && asked.seconds < answerWithinSeconds;
    if (isDue && this.#lastSeen[asked.name] === "open") asked.mayRemind = true;
    return {
      name: `${further} s of ${asked.name}`,
      events: [{ is: "age", question: asked.name, seconds: asked.seconds }],
      run: () => moveBack(this.world.admin, this.tenant.instanceId, asked.name, further),
    };
  }

  async #contactId(contact: number): Promise<string> {
    const path = `/contacts-api/contacts?phone=${this.#phones[contact]}`;
    const { body } = await this.world.request(this.tenant, "GET", path);
    return body.items[0].contactId;
  }

  #merge(): Act {
    this.#isMerged = true;
    return {
      name: "merge",
      events: [{ is: "merge" }],
      run: async () => {
        const [intoContactId, contactId] = [await this.#contactId(0), await this.#contactId(1)];
        const { status, body } = await this.world.post(this.tenant, "/contacts-api/merge", {
          ...{ contactId, intoContactId },
        });
        require(status === 200, `merging: ${status} ${JSON.stringify(body)}`);
      },
    };
  }

  #erase(): Act {
    this.#isErased = true;
    return {
      name: "erase",
      events: [{ is: "erase" }],
      run: async () => {
        for (const contact of this.#isMerged ? [0] : [0, 1]) {
          const path = `/contacts-api/contacts/${await this.#contactId(contact)}`;
          const { status } = await this.world.request(this.tenant, "DELETE", path);
          require(status === 202, `erasing: ${status}`);
        }
      },
    };
  }
}

function leaving(question: string, isAccepted: boolean): readonly ModelEvent[] {
  return [{ is: "begin", question }, { is: "leave", question, isAccepted }];
}
