/**
 * A small model of one person's questions: what each act may make of them, and which ends an observation leaves
 * possible. It knows docs/questions.md and nothing of how the service decides.
 */

import { require } from "./contract_breach.ts";
import { liveStates, type QuestionState } from "./question_state.ts";

interface ModelQuestion {
  readonly state: QuestionState;
  /** Of which of the person's two contacts. */
  readonly contact: number;
  /** The words that came while its message was under way. */
  readonly pending: string | null;
  /** How many seconds ago it left, beside the moment that the test takes. */
  readonly aged: number;
  /** Of two that were open for the same time, the one that left later has the larger one. */
  readonly left: number;
}

interface ModelPerson {
  readonly questions: Readonly<Record<string, ModelQuestion>>;
  readonly isMerged: boolean;
  readonly lefts: number;
  /** Words on their way, and the questions that had been recorded when they were written. */
  readonly written: Readonly<Record<string, readonly string[]>>;
}

/** One thing that happens at once. Those of one act happen in their order. */
export type ModelEvent =
  | { readonly is: "record"; readonly question: string; readonly contact: number }
  | { readonly is: "begin" | "cancel" | "fail"; readonly question: string }
  | { readonly is: "leave"; readonly question: string; readonly isAccepted: boolean }
  | { readonly is: "write"; readonly words: string }
  | { readonly is: "say"; readonly contact: number; readonly words: string; readonly how: How }
  | { readonly is: "age"; readonly question: string; readonly seconds: number }
  | { readonly is: "expire"; readonly question: string }
  | { readonly is: "merge" | "erase" };

/** `late`: written a while ago, and recorded now. */
export type How = "fits" | "late" | "invalid" | "stop";

/** How long a question is open, and how long ago `late` words were written. */
export const answerWithinSeconds = 3_600;
export const lateSeconds = 300;

/** All that a person's questions may be now. */
export class QuestionModel {
  #possible: readonly ModelPerson[] = [
    { questions: {}, isMerged: false, lefts: 0, written: {} },
  ];

  /** Acts that are made at the same time: any order of their events may have happened. */
  act(acts: readonly (readonly ModelEvent[])[]): void {
    this.#possible = unique(this.#possible.flatMap((person) => interleave(person, acts)));
  }

  /** Leaves what agrees with the states that were read. @throws {ContractBreach} where nothing does. */
  observe(seen: Readonly<Record<string, QuestionState>>): void {
    const left = this.#possible.filter(({ questions }) =>
      Object.entries(questions).every(([name, { state }]) => agrees(state, seen[name] ?? "missing"))
    );
    const describe = (states: Readonly<Record<string, unknown>>): string => JSON.stringify(states);
    const possible = this.#possible.map(({ questions }) =>
      describe(
        Object.fromEntries(Object.entries(questions).map(([name, { state }]) => [name, state])),
      )
    );
    require(left.length > 0, `${describe(seen)} is none of ${[...new Set(possible)].join(" ")}`);
    this.#possible = left;
  }
}

/** `ended`: before an erasure that has deleted how. */
function agrees(state: QuestionState, seen: QuestionState): boolean {
  return state === seen ||
    seen === "ended" && /^(answered|expired|canceled:(?!erased))/.test(state);
}

/** What a person may be after the acts, in any order; time may end what is over at any moment between. */
function interleave(
  person: ModelPerson,
  acts: readonly (readonly ModelEvent[])[],
): ModelPerson[] {
  const persons = whenTimePasses(person);
  if (acts.every((events) => events.length === 0)) return persons;
  return unique(acts.flatMap(([event, ...rest], place) => {
    if (event === undefined) return [];
    const others = acts.toSpliced(place, 1, rest);
    return persons.flatMap((before) =>
      apply(before, event).flatMap((after) => interleave(after, others))
    );
  }));
}

function whenTimePasses(person: ModelPerson): ModelPerson[] {
  const over = Object.entries(person.questions).filter(([, { state, aged }]) =>
    state === "open" && aged > answerWithinSeconds
  );
  return over.reduce<ModelPerson[]>(
    (persons, [name]) => persons.flatMap((one) => [one, change(one, name, { state: "expired" })]),
    [person],
  );
}

function apply(person: ModelPerson, event: ModelEvent): ModelPerson[] {
  switch (event.is) {
    case "record":
      return [change(person, event.question, {
        ...{ state: "waiting", contact: person.isMerged ? 0 : event.contact },
        ...{ pending: null, aged: 0, left: 0 },
      })];
    case "begin":
      return [changeIf(person, event.question, ["waiting"], { state: "sending" })];
    case "leave":
      return [leave(person, event.question, event.isAccepted)];
    case "cancel":
      return [changeIf(person, event.question, live, { state: "canceled:canceled" })];
    case "fail":
      return [changeIf(person, event.question, live, { state: "canceled:not_sent" })];
    case "expire":
      return [changeIf(person, event.question, ["open"], { state: "expired" })];
    case "age":
      return [changeIf(person, event.question, ["open"], { aged: event.seconds })];
    case "merge":
      return [merge(person)];
    case "erase":
      return [endAll(person, () => true, "canceled:erased")];
    case "write": {
      const written = { ...person.written, [event.words]: Object.keys(person.questions) };
      return [{ ...person, written }];
    }
    case "say":
      return say(person, event);
  }
}

const live: readonly QuestionState[] = [...liveStates, "sending"];

function change(person: ModelPerson, name: string, changes: Partial<ModelQuestion>): ModelPerson {
  const question = { ...person.questions[name], ...changes } as ModelQuestion;
  return { ...person, questions: { ...person.questions, [name]: question } };
}

function changeIf(
  person: ModelPerson,
  name: string,
  states: readonly QuestionState[],
  changes: Partial<ModelQuestion>,
): ModelPerson {
  const question = person.questions[name];
  return question !== undefined && states.includes(question.state)
    ? change(person, name, changes)
    : person;
}

function endAll(
  person: ModelPerson,
  which: (question: ModelQuestion, name: string) => boolean,
  state: QuestionState,
): ModelPerson {
  return Object.entries(person.questions)
    .filter(([name, question]) => live.includes(question.state) && which(question, name))
    .reduce((ended, [name]) => change(ended, name, { state }), person);
}

/** A contact has one open question: one that leaves ends the older one. */
function leave(person: ModelPerson, name: string, isAccepted: boolean): ModelPerson {
  const question = person.questions[name];
  if (question?.state !== "sending") return person;
  if (!isAccepted) return change(person, name, { state: "canceled:not_sent" });
  const { contact, pending } = question;
  const alone = endAll(
    person,
    (other) => other.state === "open" && other.contact === contact,
    "canceled:replaced",
  );
  const left = alone.lefts + 1;
  const state = pending === null ? "open" : `answered:${pending}`;
  return { ...change(alone, name, { state, left }), lefts: left };
}

function merge(person: ModelPerson): ModelPerson {
  const moved = Object.fromEntries(
    Object.entries(person.questions).map(([name, question]) => [name, { ...question, contact: 0 }]),
  );
  const [newest] = Object.entries(moved).filter(([, { state }]) => state === "open")
    .sort(([, one], [, other]) => one.aged - other.aged || other.left - one.left);
  const merged = { ...person, questions: moved, isMerged: true };
  return endAll(
    merged,
    ({ state }, name) => state === "open" && name !== newest?.[0],
    "canceled:replaced",
  );
}

/**
 * What a message makes of the questions. It answers none that was recorded after it was written; of those that were
 * recorded within the same second nobody can tell.
 */
function say(person: ModelPerson, event: Extract<ModelEvent, { is: "say" }>): ModelPerson[] {
  const { [event.words]: written, ...others } = person.written;
  const arrived = { ...person, written: others };
  const isLater = (name: string): boolean => written !== undefined && !written.includes(name);
  const isAnyLater = Object.keys(person.questions).some(isLater);
  return [
    ...answer(arrived, event, () => true),
    ...(isAnyLater ? answer(arrived, event, (name) => !isLater(name)) : []),
  ];
}

/** The first message that fits answers the open question; else what is under way keeps it. */
function answer(
  person: ModelPerson,
  { contact, words, how }: Extract<ModelEvent, { is: "say" }>,
  mayAnswer: (name: string) => boolean,
): ModelPerson[] {
  const from = person.isMerged ? 0 : contact;
  const ofContact = Object.entries(person.questions).filter(([, one]) => one.contact === from);
  if (how === "stop") return [endAll(person, (one) => one.contact === from, "canceled:opted_out")];
  if (how === "invalid") return [person];
  const answerable = ofContact.filter(([name]) => mayAnswer(name));
  const writtenAgo = how === "late" ? lateSeconds : 0;
  const open = answerable.filter(([, { state, aged }]) =>
    state === "open" && aged >= writtenAgo && aged - writtenAgo < answerWithinSeconds
  );
  if (open.length > 0) {
    return open.map(([name]) => change(person, name, { state: `answered:${words}` }));
  }
  const sending = how === "late"
    ? []
    : answerable.filter(([, one]) => one.state === "sending" && one.pending === null);
  return sending.length === 0
    ? [person]
    : sending.map(([name]) => change(person, name, { pending: words }));
}

function unique(persons: readonly ModelPerson[]): ModelPerson[] {
  return [...new Map(persons.map((person) => [JSON.stringify(person), person])).values()];
}
