/** Judges what concurrent callers were answered: no history may be impossible. */

import { checkBatch, type LastBatch } from "./check_batches.ts";
import { checkPerson } from "./check_people.ts";
import { require } from "./contract_breach.ts";
import { type HistoryCall, numbers } from "./concurrent_callers.ts";
import { persons } from "./contract_model.ts";
import type { FeedEvent } from "./model_run.ts";
import { fateOf, type ProviderCall } from "./service_world.ts";

/** What is known when nothing waits any more. */
export interface WholeHistory {
  /** With a last reading of each contact, conversation, erasure and batch. */
  readonly history: readonly HistoryCall[];
  readonly providerCalls: readonly ProviderCall[];
  /** All messages, as the list shows them. */
  // deno-lint-ignore no-explicit-any -- judged field by field
  readonly records: readonly any[];
  readonly feed: readonly FeedEvent[];
  readonly batches: readonly LastBatch[];
}

/** @throws {ContractBreach} for what cannot have happened. */
export function checkHistory(whole: WholeHistory): void {
  for (const { answer, act } of whole.history) {
    require(answer?.status !== 500, `${JSON.stringify(act)}: ${JSON.stringify(answer?.body)}`);
  }
  for (const [person] of persons.entries()) {
    checkPerson(whole.history, person);
  }
  const erasures = findErasures(whole.history);
  const subjects = listSubjects(whole);
  for (const subject of subjects) checkMessage(whole, subject, erasures);
  const texts = new Set(subjects.map(({ text }) => text));
  const unknown = whole.records.filter(({ message }) => !texts.has(message));
  require(unknown.length === 0, `messages that nobody sent: ${JSON.stringify(unknown)}`);
  checkErasedInFeed(whole.feed, erasures);
  for (const batch of whole.batches) checkBatch(whole, batch);
}

/** Of a contact that was erased: when that was known to be done. Infinity where it was not. */
type Erasures = ReadonlyMap<string, number>;

/** By each id that an erased contact had. */
function findErasures(history: readonly HistoryCall[]): Erasures {
  const doneAt = new Map<string, number>();
  for (const { act, answer, endedAt } of history) {
    if (act.kind === "contact" && answer?.status === 410) {
      doneAt.set(act.contactId, doneAt.get(act.contactId) ?? Infinity);
    }
    if (act.kind !== "erasure" || answer?.body?.status !== "done") continue;
    for (const id of [act.contactId, answer.body.contactId as string]) {
      doneAt.set(id, Math.min(doneAt.get(id) ?? Infinity, endedAt));
    }
  }
  for (const { act, answer } of history) {
    if (act.kind !== "erase" || answer?.status !== 202) continue;
    const isDone = (doneAt.get(act.contactId) ?? Infinity) < Infinity;
    require(isDone, `the erasure of ${act.contactId} has no end`);
  }
  return doneAt;
}

/** A message that was wanted, by its text, and what the contract leaves open of it. */
interface Subject {
  readonly text: string;
  readonly person: number;
  /** A batch cancels what waits, and skips a recipient whom a merge has made the same person as another. */
  readonly isOfBatch: boolean;
}

function listSubjects({ history }: WholeHistory): Subject[] {
  const subjects = history.flatMap(({ act, person }): Subject[] => {
    switch (act.kind) {
      case "send":
        return [{ text: act.text, person: person!, isOfBatch: false }];
      case "createBatch":
        return act.recipients.map(({ text, person }) => ({ text, person, isOfBatch: true }));
      default:
        return [];
    }
  });
  return [...new Map(subjects.map((subject) => [subject.text, subject])).values()];
}

/** One message a text, one outcome a message, and no reading that a later one contradicts. */
function checkMessage(whole: WholeHistory, subject: Subject, erasures: Erasures): void {
  const { history, providerCalls, records, feed } = whole;
  const { text, person } = subject;
  const of = history.filter(({ act }) => "text" in act && act.text === text);
  const found = records.filter(({ message }) => message === text);
  const calls = providerCalls.filter((call) => call.text === text);
  const called = calls.length;
  require(found.length <= 1, `${text} is ${found.length} messages`);
  require(called <= 1, `${text} left ${called} times`);
  for (const { to } of calls) {
    require(numbers[person]!.flat().includes(to), `${text} of person ${person} went to ${to}`);
  }
  const ids = new Set(of.flatMap(({ answer }) => answer?.body?.messageId ?? []));
  require(ids.size <= 1, `${text} was answered as ${[...ids].join(", ")}`);
  const record = found[0];
  const erasedAt = findErasedAt(of, erasures);
  checkReadings(of, text, record?.status ?? "gone");
  if (erasedAt !== null) {
    require(record === undefined, `${text} is there after its contact's erasure`);
    const late = calls.find(({ arrivedAt }) => arrivedAt > erasedAt);
    require(late === undefined, `${text} left after its contact's erasure`);
    const read = of.find(({ act, answer, startedAt }) =>
      act.kind === "read" && answer?.status === 200 && startedAt > erasedAt
    );
    require(read === undefined, `${text} was read after its contact's erasure`);
    return;
  }
  const mayBeErased = history.some(({ act, person: erased }) =>
    act.kind === "erase" && erased === person
  );
  const isNamed = of.some(({ answer }) => typeof answer?.body?.contactId === "string");
  require(
    ids.size === 0 || record?.messageId === [...ids][0] || !isNamed && mayBeErased,
    `${text} is lost`,
  );
  if (record === undefined) return;
  require(!erasures.has(record.contactId), `${text} is of ${record.contactId}, who was erased`);
  checkCanceled(of, subject, record.status, called);
  checkOutcome(text, record.status, called);
  const told = feed.filter(({ type, data }) =>
    data.messageId === record.messageId && type.startsWith("message.")
  ).map(({ type }) => type);
  require(
    told.join() === `message.${record.status}`,
    `${text} is ${record.status}, and the feed tells ${told.join()}`,
  );
}

/** When the contact that answers have named for a message was known to be erased; null where it is there. */
function findErasedAt(calls: readonly HistoryCall[], erasures: Erasures): number | null {
  const ids: string[] = calls.flatMap(({ answer }) => answer?.body?.contactId ?? []);
  const erased = ids.flatMap((id) => erasures.get(id) ?? []);
  return erased.length === 0 ? null : Math.min(...erased);
}

function checkCanceled(
  calls: readonly HistoryCall[],
  { text, isOfBatch }: Subject,
  status: string,
  called: number,
): void {
  const canceled = calls.filter(({ act, answer }) =>
    act.kind === "cancel" && answer?.status === 200
  );
  const mayBeCanceled = calls.some(({ act, answer }) => act.kind === "cancel" && answer === null);
  const isCanceled = status === "canceled";
  require(canceled.length === 0 || isCanceled, `${text} was canceled and is ${status}`);
  require(
    !isCanceled || canceled.length > 0 || mayBeCanceled || isOfBatch,
    `${text} is canceled, and nobody was told`,
  );
  require(!isCanceled || called === 0, `${text} was canceled and left`);
}

function checkOutcome(text: string, status: string, called: number): void {
  // A killed process leaves in doubt what it had claimed, called or not.
  const possible = called === 0 ? ["canceled", "unconfirmed"] : [
    { accepted: "sent", refused: "failed", unknown: "unconfirmed" }[fateOf(text)],
    "unconfirmed",
  ];
  require(possible.includes(status), `${text} left ${called} times and is ${status}`);
}

/** `gone`: with its person. */
const ranks: Readonly<Record<string, number>> = { queued: 0, sending: 1, gone: 3 };

/** What was read before another reading began is no later state than that one's. */
function checkReadings(calls: readonly HistoryCall[], text: string, last: string): void {
  const readings = calls.flatMap(({ act, startedAt, endedAt, answer }) => {
    if (answer === null) return [];
    if (act.kind !== "send" && answer.status === 404) {
      return [{ startedAt, endedAt, status: "gone" }];
    }
    if (act.kind === "cancel" && answer.status !== 200) return [];
    if (act.kind !== "send") {
      require(answer.status === 200, `${text} is known and answered with ${answer.status}`);
    }
    // A repeated call gives the first answer again, however late.
    if (answer.isReplay || typeof answer.body.status !== "string") return [];
    return [{ startedAt, endedAt, status: answer.body.status as string }];
  });
  for (const one of [...readings]) {
    for (const other of [...readings, { startedAt: Infinity, endedAt: Infinity, status: last }]) {
      if (one.endedAt >= other.startedAt) continue;
      const [before, after] = [ranks[one.status] ?? 2, ranks[other.status] ?? 2];
      require(
        before < after || before === after && one.status === other.status,
        `${text} was ${one.status} and then ${other.status}`,
      );
    }
  }
}

/** The feed tells of an erased person that they were erased, once, and nothing else. */
function checkErasedInFeed(feed: readonly FeedEvent[], erasures: Erasures): void {
  const told = new Set<string>();
  for (const { type, data } of feed) {
    const words = JSON.stringify(data);
    const id = [...erasures.keys()].find((erased) => words.includes(erased));
    if (id === undefined) continue;
    require(type === "contact.erased", `the feed tells ${type} of ${id}, who was erased`);
    require(!told.has(id), `the feed tells twice that ${id} was erased`);
    told.add(id);
  }
}

/** A feed's follower has read every event once and in order. Events of erased persons may be gone since. */
export function checkFollower(
  { history, feed }: WholeHistory,
  read: readonly FeedEvent[],
): void {
  const erasures = findErasures(history);
  const left = new Set(feed.map(({ id }) => id));
  const names = (events: readonly FeedEvent[]): string => events.map(({ id }) => id).join();
  const still = read.filter(({ id }) => left.has(id));
  require(names(still) === names(feed), `${still.length} of ${feed.length} events were followed`);
  const lost = read.find(({ id, data }) =>
    !left.has(id) && ![...erasures.keys()].some((erased) => JSON.stringify(data).includes(erased))
  );
  require(lost === undefined, `the feed tells no longer ${JSON.stringify(lost)}`);
  const ids = read.map(({ id }) => id);
  require(new Set(ids).size === ids.length, "an event was followed twice");
  const sequences = read.map(({ sequence }) => sequence);
  require(
    sequences.every((sequence, place) => place === 0 || sequence > sequences[place - 1]!),
    "the events were followed out of order",
  );
}

/** As in the model: a call arrives a little later than it is begun. */
const toleranceMs = 250;

/** Paced messages of one instance are an interval apart, however many callers and dispatchers there are. */
export function checkPace(calls: readonly ProviderCall[], intervalSeconds: number): void {
  let last: ProviderCall | null = null;
  for (const call of calls) {
    if (!isPaced(call.text)) continue;
    const gapMs = call.atMs - (last?.atMs ?? -Infinity);
    require(
      gapMs >= intervalSeconds * 1_000 - toleranceMs,
      `${call.text} left ${gapMs} ms after ${last?.text}`,
    );
    last = call;
  }
}

/** Callers name the lane in the text. */
function isPaced(text: string): boolean {
  return text.includes(" queued ");
}
