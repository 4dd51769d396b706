/**
 * What the contract says of one tenant's questions: docs/questions.md, and nothing of how the service decides.
 * Where the order of two things is open, a question holds every state that it may have until a reading tells.
 */

import { require } from "./contract_breach.ts";
import type { ModelContact, ModelMessage } from "./contract_model.ts";
import { liveStates, nameState, type QuestionState } from "./question_state.ts";

/** What a message asks for, and for how long. */
export interface AskWish {
  readonly accept: "text" | "number";
  readonly withinSeconds: number;
  readonly remindAfterSeconds: number | null;
  readonly hasWordsForInvalid: boolean;
}

/** A text that the service sends by itself for a question: its reminder, or the words for what does not fit. */
export interface ModelWords {
  readonly text: string;
  readonly question: ModelQuestion;
  readonly kind: "reminder" | "invalid";
  /** Whether anything has called for it so far. */
  mayLeave: boolean;
  hasLeft: boolean;
  /** Its worker died after the call. */
  isCutOff: boolean;
  /** Null until the list has named it. */
  messageId: string | null;
}

export interface ModelQuestion {
  readonly key: string;
  readonly message: ModelMessage;
  readonly wish: AskWish;
  readonly words: readonly ModelWords[];
  /** Null until an answer has named it. */
  id: string | null;
  /** All that it may be now. */
  possible: ReadonlySet<QuestionState>;
  openedAtMs: number;
  /** The command in which it opened. */
  openedIn: number;
  /** What came while its message was under way. */
  pending: string | null;
  /** Whether it was open, for all that is known, when the last command had ended. */
  wasOpen: boolean;
  /** Whether the window was closed when its reminder was due: it may come later, or never. */
  wasRemindedLate: boolean;
}

/** A question as messages-api shows it. */
// deno-lint-ignore no-explicit-any -- judged field by field
type QuestionRecord = any;

/** Around an end both sides of it are possible: the service's instants and the model's differ by a call. */
const toleranceMs = 3_000;

/** Whether a number was written, as `accept: "number"` takes it. */
function isNumber(words: string): boolean {
  return /^\d+$/.test(words);
}

/** All questions of a tenant. */
export class ModelQuestions {
  readonly all: ModelQuestion[] = [];
  #command = 0;

  /** A message asks. */
  add(message: ModelMessage, wish: AskWish): ModelQuestion {
    const key = `q of ${message.text}`;
    const words: ModelWords[] = [];
    const question: ModelQuestion = {
      ...{ key, message, wish, words, id: null, possible: new Set(["waiting"]), pending: null },
      ...{ openedAtMs: NaN, openedIn: NaN, wasOpen: false, wasRemindedLate: false },
    };
    const add = (kind: ModelWords["kind"]): void => {
      words.push({
        ...{ text: `${kind} of ${message.text}`, question, kind },
        ...{ mayLeave: kind === "reminder", hasLeft: false, isCutOff: false, messageId: null },
      });
    };
    if (wish.remindAfterSeconds !== null) add("reminder");
    if (wish.hasWordsForInvalid) add("invalid");
    this.all.push(question);
    return question;
  }

  /** The reminder or hint that has this text; undefined for any other text. */
  wordsOf(text: string): ModelWords | undefined {
    return this.all.flatMap(({ words }) => words).find((item) => item.text === text);
  }

  #openOf(contact: ModelContact): ModelQuestion[] {
    return this.all.filter(({ message, possible }) =>
      message.contact === contact && possible.has("open")
    );
  }

  /** What has become of a message is known: its question opens, or ends as not sent. */
  follow(message: ModelMessage, nowMs: number): void {
    const question = this.all.find((item) => item.message === message);
    if (question === undefined) return;
    if (message.status === "failed" || message.status === "canceled") {
      end(question, "canceled:not_sent");
    } else if (message.status !== "waiting" && message.status !== "in_flight") {
      this.#open(question, nowMs);
    }
  }

  /** A contact has one open question: one that leaves ends the older one. */
  #open(question: ModelQuestion, nowMs: number): void {
    if (!question.possible.has("waiting")) return;
    const { pending } = question;
    // Of two that leave in one run, either may be known first.
    const rivals = this.#openOf(question.message.contact);
    const isUnordered = rivals.some(({ openedIn }) => openedIn === this.#command);
    for (const rival of rivals) {
      change(rival, "open", [
        "canceled:replaced",
        ...(rival.openedIn === this.#command ? ["open"] : []),
      ]);
    }
    const next = [pending === null ? "open" : `answered:${pending}`];
    if (isUnordered) next.push("canceled:replaced");
    // Of a message that is unconfirmed nobody knows whether it was there to be answered.
    if (pending !== null && question.message.status === "unconfirmed") next.push("open");
    change(question, "waiting", next);
    question.openedAtMs = nowMs;
    question.openedIn = this.#command;
  }

  /** The first message that fits answers the open question; else the newest one under way keeps it. */
  receive(contact: ModelContact, words: string, nowMs: number): void {
    for (const question of this.#openOf(contact)) {
      const leftMs = endsAtMs(question) - nowMs;
      if (!fits(question, words)) {
        for (const item of question.words) if (item.kind === "invalid") item.mayLeave = true;
      } else if (leftMs > -toleranceMs) {
        change(question, "open", [`answered:${words}`, ...(leftMs < toleranceMs ? ["open"] : [])]);
        return;
      }
    }
    const underWay = this.all.findLast((question) =>
      question.message.contact === contact && question.message.status === "in_flight" &&
      question.possible.has("waiting") && question.pending === null && fits(question, words)
    );
    if (underWay !== undefined) underWay.pending = words;
  }

  /** By a call, or with the person. */
  cancel(question: ModelQuestion, reason: "canceled" | "erased"): void {
    end(question, `canceled:${reason}`);
  }

  /** Two contacts are one now: of two open questions the one that left last stays. */
  join(contact: ModelContact): void {
    const [newest, ...older] = this.#openOf(contact).sort((a, b) => b.openedAtMs - a.openedAtMs);
    for (const question of older) {
      change(question, "open", [
        "canceled:replaced",
        ...(newest?.possible.size === 1 ? [] : ["open"]),
      ]);
    }
  }

  /** Time has passed: what is over may have been told. */
  passTime(nowMs: number): void {
    for (const question of this.all) {
      if (nowMs >= endsAtMs(question) - toleranceMs) change(question, "open", ["open", "expired"]);
    }
  }

  /** A run of the dispatcher that began at `startedAtMs` has ended. */
  endDue(startedAtMs: number, mayRemind: boolean): void {
    for (const question of this.all) {
      if (startedAtMs >= endsAtMs(question) + toleranceMs) change(question, "open", ["expired"]);
      if (!question.wasOpen || !question.possible.has("open")) continue;
      if (question.possible.size > 1 || remindsAtMs(question) > startedAtMs - toleranceMs) continue;
      if (!mayRemind) question.wasRemindedLate = true;
      const reminder = question.words.find(({ kind }) => kind === "reminder");
      require(
        reminder === undefined || reminder.hasLeft || question.wasRemindedLate,
        `${question.key} is open, and nobody was reminded`,
      );
    }
  }

  /** Judges words that have arrived at the provider. */
  observe(words: ModelWords, atMs: number): void {
    const { text, question, kind } = words;
    require(!words.hasLeft, `${text} left twice`);
    require(words.mayLeave, `${text} left, and nothing called for it`);
    words.hasLeft = true;
    if (kind === "invalid") return;
    require(question.wasOpen, `${text} left, and its question was not open`);
    const earlyMs = remindsAtMs(question) - atMs;
    require(earlyMs < toleranceMs, `${text} left ${earlyMs} ms before it was due`);
  }

  /** Judges all questions that the list shows, when a command has ended. */
  check(records: readonly QuestionRecord[]): void {
    const found = Map.groupBy(records, ({ key }) => key as string);
    for (const question of this.all) {
      const [record, ...others] = found.get(question.key) ?? [];
      found.delete(question.key);
      require(others.length === 0, `${question.key} is ${others.length + 1} questions`);
      if (question.message.contact.isErased) {
        require(record === undefined, `${question.key} is there after its contact's erasure`);
      } else {
        require(record !== undefined, `${question.key} is lost`);
        this.checkRecord(question, record);
      }
      question.wasOpen = question.possible.has("open");
    }
    require(found.size === 0, `questions that nobody asked: ${[...found.keys()]}`);
    this.#command += 1;
  }

  /** Whether each may be what its record says. */
  agree(records: readonly QuestionRecord[]): boolean {
    const found = new Map(records.map((record) => [record.key, record]));
    return this.all.every(({ key, possible, message }) =>
      message.contact.isErased || possible.has(stateOf(found.get(key)))
    );
  }

  /** Requires that a question is what it may be; from now on it is that alone. */
  checkRecord(question: ModelQuestion, record: QuestionRecord): void {
    const { key, possible, message, words } = question;
    const state = stateOf(record);
    require(possible.has(state), `${key} is ${state}, not ${[...possible].join(" or ")}`);
    require(question.id === null || question.id === record.questionId, `${key} is two questions`);
    question.id = record.questionId;
    message.messageId ??= record.messageId;
    require(message.messageId === record.messageId, `${key} is asked by another message`);
    const isEnded = !liveStates.includes(state);
    require(isEnded === (record.endedAt !== null), `${key} is ${state}, ended ${record.endedAt}`);
    question.possible = new Set([state]);
    const rivals = isEnded || state === "waiting" ? [] : this.#openOf(message.contact).filter(
      (rival) => rival.possible.size === 1 && rival !== question,
    );
    require(rivals.length === 0, `${key} is open beside ${rivals[0]?.key}`);
    const isReminded = words.some(({ kind, hasLeft }) => kind === "reminder" && hasLeft);
    require(
      !isReminded || record.reminderStatus === "sent",
      `${key} was reminded, and says ${record.reminderStatus}`,
    );
  }

  /** When the next reminder or end of an open one is due, for certain; null where none is open. */
  nextDueMs(nowMs: number): number | null {
    const due = this.all.filter(({ possible, message }) =>
      possible.has("open") && !message.contact.isErased
    ).flatMap((question) => [remindsAtMs(question), endsAtMs(question)])
      .map((atMs) => atMs + toleranceMs).filter((atMs) => atMs > nowMs && atMs < Infinity);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** The last end of those that are open; negative infinity where none is. */
  lastEndMs(): number {
    return Math.max(
      ...this.all.filter(({ possible, message }) =>
        possible.has("open") && !message.contact.isErased
      ).map(endsAtMs),
    );
  }
}

function stateOf(record: QuestionRecord | undefined): QuestionState {
  return record === undefined
    ? "missing"
    : nameState(record.status, { words: record.answer?.text, reason: record.reason });
}

function fits({ wish }: ModelQuestion, words: string): boolean {
  return wish.accept === "text" || isNumber(words);
}

function endsAtMs({ openedAtMs, wish }: ModelQuestion): number {
  return openedAtMs + wish.withinSeconds * 1_000;
}

function remindsAtMs({ openedAtMs, wish }: ModelQuestion): number {
  return openedAtMs + (wish.remindAfterSeconds ?? Infinity) * 1_000;
}

/** Where it may be `from`, it may be one of `to` in its place. */
function change(question: ModelQuestion, from: QuestionState, to: readonly QuestionState[]): void {
  if (!question.possible.has(from)) return;
  const others = [...question.possible].filter((state) => state !== from);
  question.possible = new Set([...others, ...to]);
}

/** An end is final. */
function end(question: ModelQuestion, state: QuestionState): void {
  for (const from of liveStates) change(question, from, [state]);
}
