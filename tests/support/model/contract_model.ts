/**
 * A small model of the contract: who has what, in which state, and what may reach the provider. It is told
 * of each command and its answer, and throws where the service did what the contract forbids.
 */

import { require } from "./contract_breach.ts";
import { ModelQuestions, type ModelWords } from "./contract_questions.ts";
import type { Fate, ProviderCall } from "./service_world.ts";

/** A person, by their number in the model. */
export interface Person {
  /** With the ninth digit, and without it. */
  readonly phones: readonly [string, string];
  readonly lid: string;
}

/** Three persons, each of whom writes under two spellings of a phone, or hides it. */
export const persons: readonly Person[] = [
  { phones: ["5511987654321", "551187654321"], lid: "111111111111111@lid" },
  { phones: ["5521998761234", "552198761234"], lid: "222222222222222@lid" },
  { phones: ["5531976543210", "553176543210"], lid: "333333333333333@lid" },
];

/** What a contact is known by: a person's phone in any spelling, or their LID. */
export type Identity = `${"phone" | "lid"}:${number}`;

/** A contact, of one or several identities. */
export interface ModelContact {
  /** Null until an answer has named it. */
  id: string | null;
  /** After a merge: the ids of which it keeps one. */
  mayBe: ReadonlySet<string> | null;
  /** Where a merge leaves it open: all that it may be. */
  assignedTo: ReadonlySet<string | null>;
  conversationStatus: ReadonlySet<string>;
  /** Null where it may have been paused at another moment. */
  pausedUntilMs: number | null | undefined;
  isErased: boolean;
}

export type Lane = "immediate" | "delayed" | "paced";

/** The states of a message that end it; `waiting` for all before, and `in_flight` after its worker died. */
export type ModelStatus =
  | "waiting"
  | "in_flight"
  | "sent"
  | "delivered"
  | "read"
  | "failed"
  | "unconfirmed"
  | "canceled";

/** A message that a command wanted to be sent. */
export interface ModelMessage {
  /** Its text, which no other message has. */
  readonly text: string;
  readonly person: number;
  readonly fate: Fate;
  readonly lane: Lane;
  readonly intervalMs: number;
  readonly batch: ModelBatch | null;
  /** The call that wanted it; null of a batch's. */
  readonly call: ModelSend | null;
  /** Not before. */
  dueAtMs: number;
  contact: ModelContact;
  messageId: string | null;
  providerMessageId: string | null;
  status: ModelStatus;
  /** While `in_flight`: when its dead worker's claim ends. */
  claimedUntilMs: number;
  /** The events of its life, without their prefix. */
  readonly story: string[];
}

/** A call of send-message, which may be repeated. */
export interface ModelSend {
  body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  /** Null where its process died before. */
  answeredStatus: number | null;
}

export interface ModelBatch {
  readonly batchId: string;
  status: "running" | "paused" | "canceled";
}

/** A message that a person wrote. */
export interface ModelReceived {
  readonly text: string;
  readonly contact: ModelContact;
}

/**
 * A call may come this much earlier than the model's instants say, in milliseconds: the database's are
 * rounded, and an interval counts from a call that was begun before it arrived.
 */
const toleranceMs = 250;

/** What the contract says of one tenant. */
export class ContractModel {
  readonly messages: ModelMessage[] = [];
  readonly received: ModelReceived[] = [];
  readonly batches: ModelBatch[] = [];
  readonly contacts = new Map<Identity, ModelContact>();
  readonly questions = new ModelQuestions();
  /** Ids that contacts of this tenant have had, with those that were merged or erased. */
  readonly #idsInUse = new Map<string, ModelContact>();
  isHeld = false;
  isWindowOpen = true;
  merges = 0;
  /** The message whose sender is killed before it hears the provider's answer. */
  lost: ModelMessage | null = null;
  #lastPaced: { readonly text: string; readonly atMs: number } | null = null;

  /** The contact of an identity, which a call has just named: a new one where there was none. */
  contactOf(identity: Identity): ModelContact {
    const known = this.contacts.get(identity);
    if (known !== undefined) return known;
    const contact: ModelContact = {
      id: null,
      mayBe: null,
      assignedTo: new Set([null]),
      conversationStatus: new Set(["open"]),
      pausedUntilMs: 0,
      isErased: false,
    };
    this.contacts.set(identity, contact);
    return contact;
  }

  /** One person has one contact, and no two have the same. */
  nameContact(contact: ModelContact, id: string): void {
    const owner = this.#idsInUse.get(id);
    require(
      owner === undefined || owner === contact,
      `the contact ${id} is another person's, or was erased`,
    );
    require(contact.id === null || contact.id === id, `${contact.id} is now called ${id}`);
    require(contact.mayBe?.has(id) !== false, `${id} is none of the contacts that were merged`);
    contact.id = id;
    contact.mayBe = null;
    this.#idsInUse.set(id, contact);
  }

  /** Two identities are one contact from now on. It keeps the id of one of them. */
  join(one: Identity, other: Identity): void {
    const [a, b] = [this.contactOf(one), this.contactOf(other)];
    if (a === b) return;
    // Any of them may be the one that stays: the next answer tells.
    const ids = [a, b].flatMap(({ id, mayBe }) => id === null ? [...mayBe ?? []] : [id]);
    const isEachKnown = [a, b].every(({ id, mayBe }) => id !== null || mayBe !== null);
    Object.assign(a, {
      assignedTo: new Set([...a.assignedTo, ...b.assignedTo]),
      conversationStatus: new Set([...a.conversationStatus, ...b.conversationStatus]),
      pausedUntilMs: a.pausedUntilMs === b.pausedUntilMs ? a.pausedUntilMs : undefined,
      id: null,
      mayBe: isEachKnown ? new Set(ids) : null,
    });
    for (const id of ids) this.#idsInUse.set(id, a);
    for (const [identity, contact] of this.contacts) {
      if (contact === b) this.contacts.set(identity, a);
    }
    for (const message of this.messages) if (message.contact === b) message.contact = a;
    this.received.splice(
      0,
      this.received.length,
      ...this.received.map((item) => item.contact === b ? { ...item, contact: a } : item),
    );
    this.questions.join(a);
    this.merges += 1;
  }

  /** The person is forgotten: their identities are free, and what waited is not sent. */
  erase(contact: ModelContact): void {
    contact.isErased = true;
    for (const question of this.questions.all) {
      if (question.message.contact === contact) this.questions.cancel(question, "erased");
    }
    for (const [identity, owner] of this.contacts) {
      if (owner === contact) this.contacts.delete(identity);
    }
  }

  /** Judges what has arrived at the provider. */
  observe(call: ProviderCall): void {
    const words = this.questions.wordsOf(call.text);
    if (words !== undefined) return this.#observeWords(words, call);
    const message = this.messages.find(({ text }) => text === call.text);
    require(message !== undefined, `the provider got what nobody sent: ${call.text}`);
    const { text, lane } = message;
    require(!message.contact.isErased, `${text} left after its contact was erased`);
    require(message.status === "waiting", `${text} was ${message.status} and left`);
    require(this.#isAddressOf(message, call.to), `${text} went to ${call.to}`);
    require(
      call.atMs >= message.dueAtMs - toleranceMs,
      `${text} left ${message.dueAtMs - call.atMs} ms before it was due`,
    );
    require(lane === "immediate" || !this.isHeld, `${text} left although its queue is held`);
    if (lane === "paced") this.#observePaced(message, call);
    message.providerMessageId = call.providerMessageId || null;
    if (message === this.lost) {
      message.status = "in_flight";
      return;
    }
    message.status = endings[message.fate];
    message.story.push(message.status);
    this.questions.follow(message, call.atMs);
  }

  #observeWords(words: ModelWords, { text, to, atMs }: ProviderCall): void {
    const { message } = words.question;
    require(!message.contact.isErased, `${text} left after its contact was erased`);
    require(this.#isAddressOf(message, to), `${text} went to ${to}`);
    require(!this.isHeld, `${text} left although its queue is held`);
    require(
      words.kind === "invalid" || this.isWindowOpen,
      `${text} left outside the window`,
    );
    this.questions.observe(words, atMs);
  }

  /** Of what their contact is known by: of a phone and a LID the address last proven counts. */
  #isAddressOf({ person, contact }: ModelMessage, address: string): boolean {
    const { phones, lid } = persons[person]!;
    const [byPhone, byLid] = [
      this.contacts.get(`phone:${person}`),
      this.contacts.get(`lid:${person}`),
    ];
    return contact === byPhone && phones.includes(address) || contact === byLid && address === lid;
  }

  #observePaced(message: ModelMessage, { text, atMs }: ProviderCall): void {
    require(this.isWindowOpen, `${text} left outside the window`);
    require(
      message.batch === null || message.batch.status === "running",
      `${text} left although its batch is ${message.batch?.status}`,
    );
    const gapMs = atMs - (this.#lastPaced?.atMs ?? -Infinity);
    require(
      gapMs >= message.intervalMs - toleranceMs,
      `${text} left ${gapMs} ms after ${this.#lastPaced?.text}, with ${message.intervalMs}`,
    );
    this.#lastPaced = { text, atMs };
  }

  /** The worker of a message died after its call. */
  cutOff(message: ModelMessage, claimedUntilMs: number): void {
    require(message.status === "in_flight", `${message.text} is ${message.status} and was cut off`);
    this.lost = null;
    message.claimedUntilMs = claimedUntilMs;
  }

  /** A run of the dispatcher that began at `atMs` has ended: claims that were over by then are settled. */
  settleClaims(atMs: number): void {
    for (const message of this.messages) {
      if (message.status !== "in_flight" || message.claimedUntilMs > atMs) continue;
      message.status = "unconfirmed";
      message.story.push("unconfirmed");
      this.questions.follow(message, atMs);
    }
  }

  /** What must have left by the end of a run of the dispatcher that began at `atMs`. */
  overdue(atMs: number): ModelMessage | undefined {
    return this.waiting().find((message) =>
      message.status === "waiting" && message.lane === "delayed" && !this.isHeld &&
      message.dueAtMs < atMs - toleranceMs
    );
  }

  waiting(): ModelMessage[] {
    return this.messages.filter(({ status, contact, batch }) =>
      (status === "waiting" && batch?.status !== "canceled" || status === "in_flight") &&
      !contact.isErased
    );
  }

  /** The statuses that the API may show of a message now. */
  shown({ status }: ModelMessage): readonly string[] {
    if (status === "waiting") return ["queued"];
    // A paced message stays queued while it is claimed. A dead worker's claim may end at any run.
    return status === "in_flight" ? ["queued", "sending"] : [status];
  }
}

/** What a message is once the provider has done with it what its fate says. */
export const endings: Readonly<Record<Fate, "sent" | "failed" | "unconfirmed">> = {
  accepted: "sent",
  refused: "failed",
  unknown: "unconfirmed",
};
