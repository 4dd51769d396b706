/** Judges what concurrent callers were told of batches: their states, and that their counts add up. */

import { require } from "./contract_breach.ts";
import type { BatchRecipient, HistoryCall } from "./concurrent_callers.ts";
import { findImpossible, type RecordedCall } from "./linearizable.ts";
import type { FeedEvent } from "./model_run.ts";
import type { ProviderCall } from "./service_world.ts";

/** A batch when nothing waits any more. */
export interface LastBatch {
  readonly batchId: string;
  // deno-lint-ignore no-explicit-any -- judged field by field
  readonly record: any;
  // deno-lint-ignore no-explicit-any -- judged field by field
  readonly recipients: readonly any[];
}

/** What became of a batch's recipients. */
interface BatchHistory {
  readonly history: readonly HistoryCall[];
  readonly providerCalls: readonly ProviderCall[];
  // deno-lint-ignore no-explicit-any -- judged field by field
  readonly records: readonly any[];
  readonly feed: readonly FeedEvent[];
}

/** @throws {ContractBreach} for what cannot have happened to a batch. */
export function checkBatch(whole: BatchHistory, batch: LastBatch): void {
  const { batchId, record, recipients } = batch;
  const calls = whole.history.filter(({ act }) => act.kind === "batch" && act.batchId === batchId);
  checkStates(calls, batchId);
  const finished = whole.feed.filter(({ type, data }) =>
    type === "batch.finished" && data.batchId === batchId
  );
  const expected = record.status === "finished" ? 1 : 0;
  require(
    finished.length === expected,
    `${batchId} is ${record.status}, and its end was told ${finished.length} times`,
  );
  const told = [
    record,
    ...calls.flatMap(({ answer }) => answer?.status === 200 ? [answer.body] : []),
  ];
  for (const { counts, recipientCount, status } of told) {
    const sum = Object.values<number>(counts).reduce((total, number) => total + number, 0);
    require(
      sum === recipientCount,
      `${batchId}, ${status}, has ${recipientCount} recipients and counts ${
        JSON.stringify(counts)
      }`,
    );
  }
  require(recipients.length === record.recipientCount, `${batchId} lists ${recipients.length}`);
  for (const [status, number] of Object.entries(record.counts)) {
    const listed = recipients.filter((recipient) => recipient.status === status).length;
    require(listed === number, `${batchId} counts ${number} ${status}, and lists ${listed}`);
  }
  const created = whole.history.find(({ act, answer }) =>
    act.kind === "createBatch" && answer?.body?.batchId === batchId
  );
  if (created === undefined) {
    const mayBe = whole.history.some(({ act, answer }) =>
      act.kind === "createBatch" && answer === null
    );
    // Nobody has learnt its id, and so nobody has started it.
    require(mayBe && record.status === "draft", `${batchId} was made by no call`);
    return;
  }
  const entries = created.act.kind === "createBatch" ? created.act.recipients : [];
  for (const [index, { text }] of entries.entries()) {
    checkRecipient(whole, text, recipients.find((recipient) => recipient.index === index));
  }
  checkMerged(whole, entries, recipients);
}

/** Of two recipients that have become one person, only one is written to from then on. */
function checkMerged(
  { history, providerCalls }: BatchHistory,
  entries: readonly BatchRecipient[],
  recipients: LastBatch["recipients"],
): void {
  for (const { contactId, index } of recipients) {
    const other = recipients.find((one) => one.contactId === contactId && one.index > index);
    if (contactId === null || other === undefined) continue;
    const { person } = entries[index]!;
    const mergedAt = Math.max(
      ...history.flatMap((call) =>
        call.act.kind === "merge" && call.person === person &&
          (call.answer === null || call.answer.status === 200)
          ? [call.endedAt]
          : []
      ),
    );
    const leftAt = [index, other.index].map((place) =>
      providerCalls.find(({ text }) => text === entries[place]?.text)?.arrivedAt ?? -Infinity
    );
    require(
      Math.min(...leftAt) <= mergedAt,
      `${entries[index]!.text} and ${entries[other.index]!.text} left to one person`,
    );
  }
}

/** The list tells of a recipient what its message is. */
function checkRecipient(
  { records, providerCalls }: BatchHistory,
  text: string,
  // deno-lint-ignore no-explicit-any -- judged field by field
  recipient: any,
): void {
  const record = records.find(({ message }) => message === text);
  const hasLeft = providerCalls.some((call) => call.text === text);
  if (recipient.status === "skipped") {
    const { reason } = recipient;
    require(
      ["contact_erased", "duplicate_contact"].includes(reason),
      `${text} is left for ${reason}`,
    );
    require(reason === "contact_erased" || !hasLeft, `${text} was skipped, and left`);
    require(
      record === undefined || record.status === "canceled",
      `${text} was skipped, and is ${record?.status}`,
    );
    return;
  }
  require(
    recipient.messageId === (record?.messageId ?? null),
    `${text} is the message ${record?.messageId}, and its batch lists ${recipient.messageId}`,
  );
  require(record !== undefined || !hasLeft, `${text} left and is lost`);
  require(
    record === undefined || record.status === recipient.status,
    `${text} is ${record?.status}, and its batch lists ${recipient.status}`,
  );
  require(
    record === undefined || record.contactId === recipient.contactId,
    `${text} is of ${record?.contactId}, and its batch lists ${recipient.contactId}`,
  );
}

/** What each action needs, and what it makes of the batch. */
const actions: Readonly<Record<string, readonly string[]>> = {
  start: ["draft"],
  pause: ["running"],
  resume: ["paused"],
  cancel: ["draft", "running", "paused"],
};
const results: Readonly<Record<string, string>> = {
  start: "running",
  pause: "paused",
  resume: "running",
  cancel: "canceled",
};

/** Some order of the calls explains every state; a batch that runs may end at any moment. */
function checkStates(calls: readonly HistoryCall[], batchId: string): void {
  const recorded = calls.map((call): RecordedCall<string> => {
    const { act, answer, startedAt, endedAt } = call;
    const action = act.kind === "batch" ? act.action : "";
    return {
      name: `${action} ${
        answer === null ? "unanswered" : `${answer.status} ${answer.body.status}`
      }`,
      ...{ startedAt, endedAt },
      apply: (state) => {
        const from = actions[action] ?? [];
        if (answer === null) return from.includes(state) ? results[action] ?? state : state;
        // Refused in a state that allows the action: the batch has ended meanwhile.
        if (answer.status === 409) {
          return !from.includes(state) ? state : state === "running" ? "finished" : null;
        }
        if (answer.status !== 200) return null;
        if (action !== "read" && !from.includes(state)) return null;
        const next = results[action] ?? state;
        const shown: string = answer.body.status;
        return shown === next || next === "running" && shown === "finished" ? shown : null;
      },
    };
  });
  const impossible = findImpossible<string>(recorded, "draft", (state) => state);
  require(impossible === null, `the batch ${batchId}: ${impossible}`);
}
