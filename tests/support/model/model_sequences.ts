/** Sequences of the model test's commands, and what must be true when one has ended. */

import fc from "fast-check";
import { advance, cancel, type ModelCommand, move, read, repeat, send } from "./commands.ts";
import { require } from "./contract_breach.ts";
import { type ContractModel, endings, type ModelMessage } from "./contract_model.ts";
import type { ModelWords } from "./contract_questions.ts";
import type { ModelRun } from "./model_run.ts";
import {
  assign,
  erase,
  merge,
  pause,
  readConversation,
  receive,
  report,
  setStatus,
} from "./people_commands.ts";
import {
  actOnBatch,
  beginBatch,
  changeBatch,
  changeWindow,
  hold,
  killDispatcher,
  killInSend,
  restart,
  setHold,
  setWindow,
} from "./queue_commands.ts";
import { advanceToQuestion, cancelQuestion, readQuestion } from "./question_commands.ts";
import { nameState } from "./question_state.ts";
import { fateOf, leaseSeconds } from "./service_world.ts";

/** Commands with their weights. */
const weighted: readonly { weight: number; arbitrary: fc.Arbitrary<ModelCommand> }[] = [
  { weight: 24, arbitrary: send },
  { weight: 6, arbitrary: repeat },
  { weight: 9, arbitrary: cancel },
  { weight: 6, arbitrary: move },
  { weight: 4, arbitrary: read },
  { weight: 9, arbitrary: advance },
  { weight: 9, arbitrary: receive },
  { weight: 6, arbitrary: report },
  { weight: 5, arbitrary: assign },
  { weight: 4, arbitrary: setStatus },
  { weight: 5, arbitrary: readConversation },
  { weight: 4, arbitrary: pause },
  { weight: 4, arbitrary: merge },
  { weight: 3, arbitrary: erase },
  { weight: 3, arbitrary: hold },
  { weight: 3, arbitrary: changeWindow },
  { weight: 5, arbitrary: beginBatch },
  { weight: 5, arbitrary: changeBatch },
  { weight: 4, arbitrary: cancelQuestion },
  { weight: 2, arbitrary: readQuestion },
  { weight: 5, arbitrary: advanceToQuestion },
  { weight: 1, arbitrary: restart },
  { weight: 1, arbitrary: killInSend },
  { weight: 2, arbitrary: killDispatcher },
];

/** A sequence of commands. */
export function modelCommands(
  constraints: fc.CommandsContraints,
): fc.Arbitrary<Iterable<ModelCommand>> {
  return fc.commands<ContractModel, ModelRun, false>([fc.oneof(...weighted)], constraints);
}

/** Opens what is closed, waits until nothing waits, and compares everything that can be read. */
export async function settleAndCompare(model: ContractModel, run: ModelRun): Promise<void> {
  if (model.isHeld) await setHold(model, run, false);
  if (!model.isWindowOpen) await setWindow(model, run, true);
  for (const batch of model.batches) {
    if (batch.status === "paused") await actOnBatch(model, run, batch, "resume");
  }
  await drain(model, run);
  await endQuestions(model, run);
  await compareRecords(model, run);
  await compareFeed(model, run);
}

/** Lets the time of all questions pass. */
async function endQuestions(model: ContractModel, run: ModelRun): Promise<void> {
  if (model.questions.all.length === 0) return;
  const leftSeconds = (model.questions.lastEndMs() - run.world.nowMs()) / 1_000 + 10;
  if (leftSeconds > 0) await run.world.skip(leftSeconds);
  // What was said of a question in its last moments leaves now.
  await run.dispatch(model);
  await run.checkQuestions(model);
  const live = model.questions.all.find(({ possible, message }) =>
    !message.contact.isErased && (possible.has("open") || possible.has("waiting"))
  );
  require(live === undefined, `${live?.key} has no end`);
}

async function compareRecords(model: ContractModel, run: ModelRun): Promise<void> {
  const all = await run.readMessages();
  const records = new Map(all.map((record) => [record.message, record]));
  require(records.size === all.length, "one text is several messages");
  for (const message of model.messages) {
    const record = records.get(message.text);
    records.delete(message.text);
    if (message.contact.isErased) {
      require(record === undefined, `${message.text} is still there after its contact's erasure`);
      continue;
    }
    // What a canceled batch had not begun to send never was a message.
    if (isLeftOut(message)) {
      require(
        record === undefined || record.status === "canceled",
        `${message.text} of a canceled batch is ${record?.status}`,
      );
      continue;
    }
    require(record !== undefined, `${message.text} is lost`);
    message.messageId ??= record.messageId;
    require(message.messageId === record.messageId, `${message.text} is two messages`);
    run.checkRecord(model, message, record);
  }
  for (const { words } of model.questions.all) {
    for (const item of words) {
      const record = records.get(item.text);
      records.delete(item.text);
      compareWords(item, record);
    }
  }
  for (const { text, contact } of model.received) {
    const record = records.get(text);
    records.delete(text);
    const answered = model.questions.all.find(({ possible }) => possible.has(`answered:${text}`));
    require(
      record === undefined || (record.answers ?? null) === (answered?.id ?? null),
      `${text} answers ${record?.answers}, not ${answered?.key}`,
    );
    require(
      (record !== undefined) !== contact.isErased,
      `${text} is ${record === undefined ? "lost" : "still there after its contact's erasure"}`,
    );
    if (record !== undefined) run.checkContact(model, contact, record.contactId);
  }
  require(records.size === 0, `of nobody: ${JSON.stringify([...records.values()])}`);
}

/** What a question says by itself is one message, as its person's own. */
// deno-lint-ignore no-explicit-any -- judged field by field
function compareWords(words: ModelWords, record: any): void {
  const { text, question, hasLeft, isCutOff } = words;
  const { isErased } = question.message.contact;
  require(!isErased || record === undefined, `${text} is there after its contact's erasure`);
  if (isErased) return;
  words.messageId = record?.messageId ?? null;
  const status = isCutOff ? "unconfirmed" : endings[fateOf(text)];
  const expected = hasLeft ? [status] : [undefined, "canceled", "expired"];
  require(
    expected.includes(record?.status),
    `${text} ${hasLeft ? "has left" : "has not left"} and is ${record?.status}`,
  );
}

function isLeftOut({ batch, status }: ModelMessage): boolean {
  return batch?.status === "canceled" && status === "waiting";
}

async function drain(model: ContractModel, run: ModelRun): Promise<void> {
  // Twice as often as there are messages, and once for the claims of dead workers.
  for (let left = model.waiting().length * 2 + 2; model.waiting().length > 0; left--) {
    require(left > 0, `${model.waiting()[0]?.text} waits for ever`);
    const { items } = await run.expect(200, "messages-api/queue?limit=1");
    const nextAtMs = Date.parse(items[0]?.scheduledFor ?? "");
    // What is due may wait for the claim of a dead worker to end.
    const wait = Number.isNaN(nextAtMs)
      ? leaseSeconds
      : Math.max((nextAtMs - Date.now()) / 1_000, 0) || secondsOfClaims(model, run);
    if (wait > 0) await run.world.skip(wait);
    await run.dispatch(model, 1);
    await run.checkQuestions(model);
  }
}

/** Until the next claim of a dead worker is over, or 0. */
function secondsOfClaims(model: ContractModel, run: ModelRun): number {
  const ends = model.waiting().filter(({ status }) => status === "in_flight")
    .map(({ claimedUntilMs }) => claimedUntilMs);
  return ends.length === 0 ? 0 : Math.max((Math.min(...ends) - run.world.nowMs()) / 1_000, 0);
}

/** The feed tells of each message what has become of it, once and in order. */
async function compareFeed(model: ContractModel, run: ModelRun): Promise<void> {
  const stories = new Map<string, string[]>();
  const ids = new Set<string>();
  let last = 0;
  const ends = new Map<string, string[]>();
  for (const { id, type, sequence, data } of await run.readFeed()) {
    require(!ids.has(id), `the event ${id} is twice in the feed`);
    require(sequence > last, `the event ${id} is out of order`);
    ids.add(id);
    last = sequence;
    if (type.startsWith("question.")) {
      const told = ends.get(data.questionId) ?? [];
      const { answer, reason } = data;
      const end = nameState(type.slice("question.".length), { words: answer?.text, reason });
      ends.set(data.questionId, [...told, end]);
    }
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
  for (const { text, messageId } of model.questions.all.flatMap(({ words }) => words)) {
    const told = stories.get(messageId ?? "") ?? [];
    stories.delete(messageId ?? "");
    require(told.length <= 1, `the feed tells of ${text}: ${told.join()}`);
  }
  compareEnds(model, ends);
  require(
    [...stories.values()].every((story) => ["received", "canceled"].includes(story.join())),
    `the feed tells of messages of nobody: ${JSON.stringify([...stories])}`,
  );
}

/** Each question has one end, told once. Of an erased person's only that the erasure has ended it. */
function compareEnds(model: ContractModel, ends: Map<string, string[]>): void {
  for (const { key, id, possible, message } of model.questions.all) {
    const told = ends.get(id ?? "") ?? [];
    ends.delete(id ?? "");
    const expected = [...possible].map((state) =>
      message.contact.isErased && state !== "canceled:erased" ? "" : state
    );
    require(
      expected.includes(told.join()),
      `the feed tells of ${key}: ${told.join()}, not ${expected.join(" or ")}`,
    );
  }
  require(ends.size === 0, `the feed tells of questions of nobody: ${JSON.stringify([...ends])}`);
}
