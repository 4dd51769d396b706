/** The commands of the model test: each a call or two, and what it makes of the model. */

import fc from "fast-check";
import {
  type ContractModel,
  type Identity,
  type Lane,
  type ModelMessage,
  persons,
  require,
} from "./contract_model.ts";
import type { ModelRun } from "./model_run.ts";
import { type Fate, fates, leaseSeconds } from "./service_world.ts";

export type ModelCommand = fc.AsyncCommand<ContractModel, ModelRun>;

interface Action {
  readonly name: string;
  readonly check?: (model: ContractModel) => boolean;
  readonly run: (model: ContractModel, run: ModelRun) => Promise<void>;
}

/** After each command the model judges what has reached the provider. */
function toCommand({ name, check = () => true, run }: Action): ModelCommand {
  return {
    check,
    run: async (model, real) => {
      await run(model, real);
      real.observe(model);
    },
    toString: () => name,
  };
}

const person = fc.nat(persons.length - 1);
const spelling = fc.nat(1);
const fate = fc.oneof({ weight: 4, arbitrary: fc.constant<Fate>("accepted") }, {
  weight: 1,
  arbitrary: fc.constantFrom(...fates),
});
/** Which of the messages so far, counted from the newest. */
const choice = fc.nat(7);

function choose<Item>(items: readonly Item[], place: number): Item | undefined {
  return items[items.length - 1 - place % Math.max(items.length, 1)];
}

/** Those that a call has named. */
function named(model: ContractModel): ModelMessage[] {
  return model.messages.filter(({ messageId }) => messageId !== null);
}

function phoneOf(number: number, spelled: number): string {
  return persons[number]?.phones[spelled] ?? "";
}

const send = fc.record({
  person,
  spelling,
  fate,
  lane: fc.constantFrom<Lane>("immediate", "delayed", "paced", "paced"),
  seconds: fc.constantFrom(10, 15, 30),
}).map((wish) =>
  toCommand({
    name: `send ${JSON.stringify(wish)}`,
    run: async (model, run) => {
      const text = run.nextText(wish.fate);
      const contact = model.contactOf(`phone:${wish.person}`);
      const delayMs = wish.lane === "delayed" ? wish.seconds * 1_000 : 0;
      const message: ModelMessage = {
        ...{ text, person: wish.person, fate: wish.fate, lane: wish.lane, batch: null, contact },
        intervalMs: wish.lane === "paced" ? wish.seconds * 1_000 : 0,
        idempotencyKey: crypto.randomUUID(),
        dueAtMs: run.world.nowMs() + delayMs,
        ...{ messageId: null, providerMessageId: null, status: "waiting", claimedUntilMs: 0 },
        story: [],
      };
      model.messages.push(message);
      const answer = await run.call("send-message", {
        body: bodyOf(message, wish),
        idempotencyKey: message.idempotencyKey,
      });
      run.observe(model);
      const expected = wish.lane === "immediate" ? statusOf[wish.fate] : 200;
      require(
        answer.status === expected,
        `${text}: ${answer.status}, not ${expected}: ${JSON.stringify(answer.body)}`,
      );
      message.messageId = answer.body.messageId;
      run.checkContact(model, contact, answer.body.contactId);
      require(
        wish.lane === "immediate"
          ? model.shown(message).includes(answer.body.status)
          : answer.body.status === "queued",
        `${text} is answered as ${answer.body.status}, and is ${message.status}`,
      );
      // What is due leaves after the answer, without a dispatcher that was called.
      if (answer.body.mode === "queued" && answer.body.heldBy === null) {
        await run.untilLeft(message);
      }
    },
  })
);

const statusOf: Readonly<Record<Fate, number>> = { accepted: 200, refused: 502, unknown: 504 };

function bodyOf(
  { text, lane }: ModelMessage,
  wish: { readonly person: number; readonly spelling: number; readonly seconds: number },
): Readonly<Record<string, unknown>> {
  return {
    ...{ phone: phoneOf(wish.person, wish.spelling), messageType: "text", message: text },
    ...(lane === "paced" ? { queued: true, intervalSeconds: wish.seconds } : {}),
    ...(lane === "delayed" ? { delayMessage: wish.seconds } : {}),
  };
}

const cancel = choice.map((place) =>
  toCommand({
    name: `cancel ${place}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => {
      const message = choose(named(model), place)!;
      const path = `messages-api/messages/${message.messageId}`;
      if (message.contact.isErased) return void await run.expect(404, path, { method: "DELETE" });
      if (message.status !== "waiting") {
        await run.expect(409, path, { method: "DELETE" });
      } else {
        const body = await run.expect(200, path, { method: "DELETE" });
        require(body.status === "canceled", `${message.text} is ${body.status} when canceled`);
        message.status = "canceled";
        message.story.push("canceled");
      }
      await run.checkMessage(model, message);
    },
  })
);

const move = fc.record({ place: choice, seconds: fc.constantFrom(1, 20, 90) }).map((wish) =>
  toCommand({
    name: `move ${JSON.stringify(wish)}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => {
      const message = choose(named(model), wish.place)!;
      const dueAtMs = run.world.nowMs() + wish.seconds * 1_000;
      const answer = await run.call(`messages-api/messages/${message.messageId}`, {
        method: "PATCH",
        // The service's clock shows the skipped time not.
        body: { sendAt: new Date(Date.now() + wish.seconds * 1_000).toISOString() },
      });
      const expected = message.contact.isErased ? 404 : message.status === "waiting" ? 200 : 409;
      require(
        answer.status === expected,
        `moving ${message.text}: ${JSON.stringify(answer)}, not ${expected}`,
      );
      // An earlier time brings a paced message forward, where a slot is free: it binds nothing.
      if (expected === 200) {
        message.dueAtMs = message.lane === "paced" ? Math.min(message.dueAtMs, dueAtMs) : dueAtMs;
      }
      await run.checkMessage(model, message);
    },
  })
);

const read = choice.map((place) =>
  toCommand({
    name: `read ${place}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => run.checkMessage(model, choose(named(model), place)!),
  })
);

const advance = fc.record({ seconds: fc.constantFrom(5, 10, 31, 120) }).map(({ seconds }) =>
  toCommand({
    name: `advance ${seconds} s`,
    run: async (model, run) => {
      await run.world.skip(seconds);
      await run.dispatch(model);
    },
  })
);

/** Commands with their weights. */
const weighted: readonly { weight: number; arbitrary: fc.Arbitrary<ModelCommand> }[] = [
  { weight: 8, arbitrary: send },
  { weight: 3, arbitrary: cancel },
  { weight: 2, arbitrary: move },
  { weight: 2, arbitrary: read },
  { weight: 4, arbitrary: advance },
];

/** A sequence of commands. */
export function modelCommands(
  constraints: fc.CommandsContraints,
): fc.Arbitrary<Iterable<ModelCommand>> {
  return fc.commands<ContractModel, ModelRun, false>([fc.oneof(...weighted)], constraints);
}

/** Opens what is closed, waits until nothing waits, and compares everything that can be read. */
export async function settleAndCompare(model: ContractModel, run: ModelRun): Promise<void> {
  await drain(model, run);
  const records = new Map((await run.readMessages()).map((record) => [record.messageId, record]));
  for (const message of model.messages) {
    const record = records.get(message.messageId);
    records.delete(message.messageId);
    if (message.contact.isErased) {
      require(record === undefined, `${message.text} is still there after its contact's erasure`);
    } else {
      require(record !== undefined, `${message.text} is lost`);
      run.checkRecord(model, message, record);
    }
  }
  require(records.size === 0, `of nobody: ${JSON.stringify([...records.values()])}`);
  await compareFeed(model, run);
}

async function drain(model: ContractModel, run: ModelRun): Promise<void> {
  // Twice as often as there are messages, and once for the claims of dead workers.
  for (let left = model.waiting().length * 2 + 2; model.waiting().length > 0; left--) {
    require(left > 0, `${model.waiting()[0]?.text} waits for ever`);
    const { items } = await run.expect(200, "messages-api/queue?limit=1");
    const nextAtMs = Date.parse(items[0]?.scheduledFor ?? "");
    const wait = Number.isNaN(nextAtMs) ? leaseSeconds : (nextAtMs - Date.now()) / 1_000;
    if (wait > 0) await run.world.skip(wait);
    await run.dispatch(model, 1);
  }
}

/** The feed tells of each message what has become of it, once and in order. */
async function compareFeed(model: ContractModel, run: ModelRun): Promise<void> {
  const stories = new Map<string, string[]>();
  const ids = new Set<string>();
  let last = 0;
  for (const { id, type, sequence, data } of await run.readFeed()) {
    require(!ids.has(id), `the event ${id} is twice in the feed`);
    require(sequence > last, `the event ${id} is out of order`);
    ids.add(id);
    last = sequence;
    if (!type.startsWith("message.")) continue;
    const story = stories.get(data.messageId) ?? [];
    stories.set(data.messageId, [...story, type.slice("message.".length)]);
  }
  for (const message of model.messages) {
    if (message.messageId === null) continue;
    const told = stories.get(message.messageId) ?? [];
    const expected = message.contact.isErased ? [] : message.story;
    require(
      told.join() === expected.join(),
      `the feed tells of ${message.text}: ${told.join()}, not ${expected.join()}`,
    );
    stories.delete(message.messageId);
  }
  require(
    [...stories.values()].every((story) => story.join() === "received"),
    `the feed tells of messages of nobody: ${JSON.stringify([...stories])}`,
  );
}

export type { Identity };
