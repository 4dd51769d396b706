/** The commands of the model test: each a call or two, and what it makes of the model. */

import fc from "fast-check";
import { require } from "./contract_breach.ts";
import { type ContractModel, type Lane, type ModelMessage, persons } from "./contract_model.ts";
import type { AskWish, ModelQuestion } from "./contract_questions.ts";
import type { ModelRun } from "./model_run.ts";
import { type Fate, fates } from "./service_world.ts";

export type ModelCommand = fc.AsyncCommand<ContractModel, ModelRun>;

interface Action {
  readonly name: string;
  readonly check?: (model: ContractModel) => boolean;
  readonly run: (model: ContractModel, run: ModelRun) => Promise<void>;
}

/** After each command the model judges what has reached the provider, and what the questions are. */
export function toCommand({ name, check = () => true, run }: Action): ModelCommand {
  return {
    check,
    run: async (model, real) => {
      await run(model, real);
      real.observe(model);
      await real.checkQuestions(model);
    },
    toString: () => name,
  };
}

export const person = fc.nat(persons.length - 1);
export const spelling = fc.nat(1);
export const fate = fc.oneof({ weight: 4, arbitrary: fc.constant<Fate>("accepted") }, {
  weight: 1,
  arbitrary: fc.constantFrom(...fates),
});
/** Which of the messages so far, counted from the newest. */
export const choice = fc.nat(7);

export function choose<Item>(items: readonly Item[], place: number): Item | undefined {
  return items[items.length - 1 - place % Math.max(items.length, 1)];
}

/** Those that a call has named. */
export function named(model: ContractModel): ModelMessage[] {
  return model.messages.filter(({ messageId }) => messageId !== null);
}

export function phoneOf(number: number, spelled: number): string {
  return persons[number]?.phones[spelled] ?? "";
}

interface SendWish {
  readonly person: number;
  readonly spelling: number;
  readonly fate: Fate;
  readonly lane: Lane;
  readonly seconds: number;
  /** To the contact that is known by the person's LID, where there is one. */
  readonly isToLid: boolean;
  /** Null for a message that asks nothing. */
  readonly ask: AskWish | null;
}

const askWish: fc.Arbitrary<AskWish> = fc.record({
  accept: fc.constantFrom<AskWish["accept"]>("text", "number", "number"),
  hasWordsForInvalid: fc.boolean(),
  times: fc.constantFrom(
    ...([[60, null], [200, 60], [3_600, 60]] as const).map(
      ([withinSeconds, remindAfterSeconds]) => ({ withinSeconds, remindAfterSeconds }),
    ),
  ),
}).map(({ times, ...wish }) => ({ ...wish, ...times }));

export const sendWish: fc.Arbitrary<SendWish> = fc.record({
  person,
  spelling,
  fate,
  lane: fc.constantFrom<Lane>("immediate", "delayed", "paced", "paced"),
  seconds: fc.constantFrom(10, 15, 30),
  isToLid: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, {
    weight: 1,
    arbitrary: fc.constant(true),
  }),
  ask: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: askWish }),
});

/** Tells the model of a message that is about to be sent. */
export function beginMessage(model: ContractModel, run: ModelRun, wish: SendWish): ModelMessage {
  const { lane, seconds } = wish;
  const text = run.nextText(wish.fate);
  const hidden = wish.isToLid ? model.contacts.get(`lid:${wish.person}`) : undefined;
  const contactId = hidden?.id ?? null;
  const message: ModelMessage = {
    ...{ text, person: wish.person, fate: wish.fate, lane, batch: null },
    contact: contactId === null ? model.contactOf(`phone:${wish.person}`) : hidden!,
    intervalMs: lane === "paced" ? seconds * 1_000 : 0,
    dueAtMs: run.world.nowMs() + (lane === "delayed" ? seconds * 1_000 : 0),
    ...{ messageId: null, providerMessageId: null, status: "waiting", claimedUntilMs: 0 },
    story: [],
    call: {
      body: {
        ...(contactId === null ? { phone: phoneOf(wish.person, wish.spelling) } : { contactId }),
        ...{ messageType: "text", message: text },
        ...(lane === "paced" ? { queued: true, intervalSeconds: seconds } : {}),
        ...(lane === "delayed" ? { delayMessage: seconds } : {}),
      },
      idempotencyKey: crypto.randomUUID(),
      answeredStatus: null,
    },
  };
  model.messages.push(message);
  if (wish.ask === null) return message;
  const question = model.questions.add(message, wish.ask);
  message.call!.body = { ...message.call!.body, ask: toAsk(question) };
  return message;
}

function toAsk({ key, wish, words }: ModelQuestion): Readonly<Record<string, unknown>> {
  const { accept, withinSeconds, remindAfterSeconds } = wish;
  const texts = Object.fromEntries(
    words.map(({ kind, text }) => [kind === "reminder" ? "reminder" : "onInvalid", text]),
  );
  return {
    ...{ accept, key, answerWithin: `PT${withinSeconds}S` },
    ...(remindAfterSeconds === null ? {} : { remindAfter: `PT${remindAfterSeconds}S` }),
    ...texts,
  };
}

export const send: fc.Arbitrary<ModelCommand> = sendWish.map((wish) =>
  toCommand({
    name: `send ${JSON.stringify(wish)}`,
    run: async (model, run) => {
      const message = beginMessage(model, run, wish);
      const { text, contact, call } = message;
      const { status, body } = await run.call("send-message", call!);
      run.observe(model);
      const expected = wish.lane === "immediate" ? statusOf[wish.fate] : 200;
      require(status === expected, `${text}: ${status}, not ${expected}: ${JSON.stringify(body)}`);
      call!.answeredStatus = status;
      message.messageId = body.messageId;
      run.checkContact(model, contact, body.contactId);
      require(
        wish.lane === "immediate"
          ? model.shown(message).includes(body.status)
          : body.status === "queued",
        `${text} is answered as ${body.status}, and is ${message.status}`,
      );
      // What is due leaves after the answer, without a dispatcher that was called.
      if (body.mode === "queued" && body.heldBy === null) await run.untilLeft(message);
    },
  })
);

export const repeat: fc.Arbitrary<ModelCommand> = choice.map((place) =>
  toCommand({
    name: `repeat ${place}`,
    check: (model) => repeatable(model).length > 0,
    run: async (model, run) => {
      const message = choose(repeatable(model), place)!;
      const { text, call } = message;
      const { status, body } = await run.call("send-message", call!);
      const { answeredStatus } = call!;
      // Of a call that was cut off nobody knows more than that its message may have left.
      const expected = answeredStatus === null ? [409, 504] : [answeredStatus];
      require(
        expected.includes(status),
        `${text} again: ${status}, not ${expected}: ${JSON.stringify(body)}`,
      );
      require(
        status === 409 || body.messageId === message.messageId,
        `${text} again is another message`,
      );
      const question = model.questions.all.find((item) => item.message === message);
      require(
        status !== 200 || body.questionId === (question?.id ?? undefined),
        `${text} again asks ${body.questionId}, not ${question?.id}`,
      );
    },
  })
);

function repeatable(model: ContractModel): ModelMessage[] {
  return named(model).filter(({ call, contact }) => call !== null && !contact.isErased);
}

const statusOf: Readonly<Record<Fate, number>> = { accepted: 200, refused: 502, unknown: 504 };

export const cancel: fc.Arbitrary<ModelCommand> = choice.map((place) =>
  toCommand({
    name: `cancel ${place}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => {
      const message = choose(named(model), place)!;
      const path = `messages-api/messages/${message.messageId}`;
      if (message.contact.isErased) return void await run.expect(404, path, { method: "DELETE" });
      if (message.status === "canceled") {
        // Canceling again says the same again, and tells nobody twice.
        await run.expect(200, path, { method: "DELETE" });
      } else if (message.status !== "waiting") {
        await run.expect(409, path, { method: "DELETE" });
      } else {
        const body = await run.expect(200, path, { method: "DELETE" });
        require(body.status === "canceled", `${message.text} is ${body.status} when canceled`);
        message.status = "canceled";
        message.story.push("canceled");
        model.questions.follow(message, run.world.nowMs());
      }
      await run.checkMessage(model, message);
    },
  })
);

export const move: fc.Arbitrary<ModelCommand> = fc.record({
  place: choice,
  seconds: fc.constantFrom(1, 20, 90),
}).map((wish) =>
  toCommand({
    name: `move ${JSON.stringify(wish)}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => {
      const message = choose(named(model), wish.place)!;
      const dueAtMs = run.world.nowMs() + wish.seconds * 1_000;
      const answer = await run.call(`messages-api/messages/${message.messageId}`, {
        method: "PATCH",
        // The service's clock shows nothing of the skipped time.
        body: { sendAt: new Date(Date.now() + wish.seconds * 1_000).toISOString() },
      });
      const expected = message.contact.isErased ? 404 : message.status === "waiting" ? 200 : 409;
      require(
        answer.status === expected,
        `moving ${message.text}: ${JSON.stringify(answer)}, not ${expected}`,
      );
      if (expected === 200) message.dueAtMs = dueAtMs;
      await run.checkMessage(model, message);
    },
  })
);

export const read: fc.Arbitrary<ModelCommand> = choice.map((place) =>
  toCommand({
    name: `read ${place}`,
    check: (model) => named(model).length > 0,
    run: (model, run) => run.checkMessage(model, choose(named(model), place)!),
  })
);

export const advance: fc.Arbitrary<ModelCommand> = fc.record({
  seconds: fc.constantFrom(5, 10, 31, 120),
}).map(({ seconds }) =>
  toCommand({
    name: `advance ${seconds} s`,
    run: async (model, run) => {
      await run.world.skip(seconds);
      await run.dispatch(model);
    },
  })
);
