/** Judges what concurrent callers were answered: no history may be impossible. */

import type { ServiceAnswer } from "../stack/service_process.ts";
import type { HistoryCall } from "./concurrent_callers.ts";
import { require } from "./contract_breach.ts";
import { persons } from "./contract_model.ts";
import { findImpossible, type RecordedCall } from "./linearizable.ts";
import type { FeedEvent } from "./model_run.ts";
import { fateOf, type ProviderCall } from "./service_world.ts";

/** What is known when nothing waits any more. */
export interface WholeHistory {
  readonly history: readonly HistoryCall[];
  readonly providerCalls: readonly ProviderCall[];
  /** All messages, as the list shows them. */
  // deno-lint-ignore no-explicit-any -- judged field by field
  readonly records: readonly any[];
  readonly feed: readonly FeedEvent[];
}

/** @throws {ContractBreach} for what cannot have happened. */
export function checkHistory(whole: WholeHistory): void {
  for (const [person] of persons.entries()) {
    const calls = whole.history.filter((call) => call.person === person);
    checkContacts(calls);
    checkConversation(calls, person);
  }
  const texts = new Set(whole.history.flatMap(({ act }) => act.kind === "send" ? [act.text] : []));
  for (const text of texts) checkMessage(whole, text);
  const unknown = whole.records.filter(({ message }) => !texts.has(message));
  require(unknown.length === 0, `messages that nobody sent: ${JSON.stringify(unknown)}`);
  for (const { answer, act } of whole.history) {
    require(answer?.status !== 500, `${JSON.stringify(act)}: ${JSON.stringify(answer?.body)}`);
  }
}

/** One person has one contact, under whatever spelling. */
function checkContacts(calls: readonly HistoryCall[]): void {
  const ids = new Set(calls.flatMap(({ act, answer }) => {
    const { body, status } = answer ?? {};
    if (act.kind === "conversation") {
      return (body?.items ?? []).map((item: { readonly contactId: string }) => item.contactId);
    }
    return status === 200 && typeof body?.contactId === "string" ? [body.contactId] : [];
  }));
  require(ids.size <= 1, `one person has the contacts ${[...ids].join(", ")}`);
}

interface Conversation {
  readonly assignedTo: string | null;
  readonly status: string;
}

/** Assignments and states are a register: some order of the calls explains every answer. */
function checkConversation(calls: readonly HistoryCall[], person: number): void {
  const recorded = calls.flatMap((call) => {
    const apply = toStep(call);
    return apply === null ? [] : [{
      name: `${JSON.stringify(call.act)} ${describe(call.answer)}`,
      ...{ startedAt: call.startedAt, endedAt: call.endedAt, apply },
    }];
  });
  const impossible = findImpossible<Conversation>(
    recorded,
    { assignedTo: null, status: "open" },
    ({ assignedTo, status }) => `${assignedTo} ${status}`,
  );
  require(impossible === null, `the conversation of person ${person}: ${impossible}`);
}

function describe(answer: ServiceAnswer | null): string {
  if (answer === null) return "unanswered";
  const [item] = answer.body?.items ?? [answer.body];
  return `${item?.previousAssignedTo ?? item?.assignedTo ?? null} ${item?.status ?? ""}`;
}

/** Null for a call that says nothing of the conversation. */
function toStep({ act, answer }: HistoryCall): RecordedCall<Conversation>["apply"] | null {
  // A refusal has changed nothing.
  if (answer !== null && answer.status !== 200) return null;
  switch (act.kind) {
    case "assign":
      return (state) =>
        answer === null || answer.body.previousAssignedTo === state.assignedTo
          ? { ...state, assignedTo: act.to }
          : null;
    case "status":
      return (state) => ({ ...state, status: act.status });
    case "conversation": {
      if (answer === null) return null;
      const [item] = answer.body.items;
      return (state) => {
        const { assignedTo, status } = item ?? { assignedTo: null, status: "open" };
        return state.assignedTo === assignedTo && state.status === status ? state : null;
      };
    }
    default:
      return null;
  }
}

/** One message a text, one outcome a message, and no reading that a later one contradicts. */
function checkMessage({ history, providerCalls, records, feed }: WholeHistory, text: string): void {
  const of = history.filter(({ act }) => "text" in act && act.text === text);
  const found = records.filter(({ message }) => message === text);
  const called = providerCalls.filter((call) => call.text === text).length;
  require(found.length <= 1, `${text} is ${found.length} messages`);
  require(called <= 1, `${text} left ${called} times`);
  const ids = new Set(of.flatMap(({ answer }) => answer?.body?.messageId ?? []));
  require(ids.size <= 1, `${text} was answered as ${[...ids].join(", ")}`);
  const record = found[0];
  require(ids.size === 0 || record?.messageId === [...ids][0], `${text} is lost`);
  if (record === undefined) return;
  const canceled = of.filter(({ act, answer }) => act.kind === "cancel" && answer?.status === 200);
  const mayBeCanceled = of.some(({ act, answer }) => act.kind === "cancel" && answer === null);
  const isCanceled = record.status === "canceled";
  require(canceled.length === 0 || isCanceled, `${text} was canceled and is ${record.status}`);
  require(
    !isCanceled || canceled.length > 0 || mayBeCanceled,
    `${text} is canceled, and nobody was told`,
  );
  require(!isCanceled || called === 0, `${text} was canceled and left`);
  checkOutcome(text, record.status, called);
  checkReadings(of, text, record.status);
  const told = feed.filter(({ type, data }) =>
    data.messageId === record.messageId && type.startsWith("message.")
  ).map(({ type }) => type);
  require(
    told.join() === `message.${record.status}`,
    `${text} is ${record.status}, and the feed tells ${told.join()}`,
  );
}

function checkOutcome(text: string, status: string, called: number): void {
  // A killed process leaves in doubt what it had claimed, called or not.
  const possible = called === 0 ? ["canceled", "unconfirmed"] : [
    { accepted: "sent", refused: "failed", unknown: "unconfirmed" }[fateOf(text)],
    "unconfirmed",
  ];
  require(possible.includes(status), `${text} left ${called} times and is ${status}`);
}

const ranks: Readonly<Record<string, number>> = { queued: 0, sending: 1 };

/** What was read before another reading began is no later state than that one's. */
function checkReadings(calls: readonly HistoryCall[], text: string, last: string): void {
  const readings = calls.flatMap(({ act, startedAt, endedAt, answer }) => {
    if (answer === null || act.kind === "cancel" && answer.status !== 200) return [];
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

/** A feed's follower has read every event once and in order. */
export function checkFollower(read: readonly FeedEvent[], feed: readonly FeedEvent[]): void {
  const names = (events: readonly FeedEvent[]): string => events.map(({ id }) => id).join();
  require(names(read) === names(feed), `${read.length} of ${feed.length} events were followed`);
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
