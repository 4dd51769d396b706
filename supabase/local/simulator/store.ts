import { BoundedLog } from "./bounded_log.ts";
import type {
  SimulatedAiCall,
  SimulatedBlock,
  SimulatedChange,
  SimulatedEmail,
  SimulatedMessage,
  SimulatedReadReceipt,
  SimulatedReceiverCall,
  SimulatedReply,
  SimulatedStatus,
  SimulatedTyping,
} from "./records.ts";

export interface RecordKinds {
  readonly messages: SimulatedMessage;
  readonly replies: SimulatedReply;
  readonly changes: SimulatedChange;
  readonly statuses: SimulatedStatus;
  readonly "read-receipts": SimulatedReadReceipt;
  readonly typings: SimulatedTyping;
  readonly blocks: SimulatedBlock;
  readonly emails: SimulatedEmail;
  readonly "ai-calls": SimulatedAiCall;
  readonly "receiver-calls": SimulatedReceiverCall;
}
export type LogName = keyof RecordKinds;

/** The names of the logs, which are also their paths in the read API. */
export const logNames = [
  "messages",
  "replies",
  "changes",
  "statuses",
  "read-receipts",
  "typings",
  "blocks",
  "emails",
  "ai-calls",
  "receiver-calls",
] as const;

/** A record with the log that it belongs to. */
export interface StoreEntry {
  readonly kind: LogName;
  readonly record: RecordKinds[LogName];
}

export type StoreEvent =
  | { readonly type: "added"; readonly kind: LogName; readonly record: { seq: number } }
  | { readonly type: "cleared"; readonly kind: LogName }
  | { readonly type: "faults_changed" };

export type StoreListener = (event: StoreEvent) => void;

/** A record before the store assigns its number and time. */
export type Unnumbered<Entry> = Omit<Entry, "seq" | "receivedAt">;

/**
 * Stores everything that reached the simulator and everything its people wrote: the newest 5,000
 * messages, replies, changes of them and read receipts, 10,000 statuses, 1,000 e-mails, AI calls, shown
 * typings, blocks and calls of the webhook receiver each. Notifies listeners of every change.
 */
export class Store {
  readonly logs: { readonly [Kind in LogName]: BoundedLog<RecordKinds[Kind]> } = {
    messages: new BoundedLog<SimulatedMessage>(5_000),
    replies: new BoundedLog<SimulatedReply>(5_000),
    changes: new BoundedLog<SimulatedChange>(5_000),
    statuses: new BoundedLog<SimulatedStatus>(10_000),
    "read-receipts": new BoundedLog<SimulatedReadReceipt>(5_000),
    typings: new BoundedLog<SimulatedTyping>(1_000),
    blocks: new BoundedLog<SimulatedBlock>(1_000),
    emails: new BoundedLog<SimulatedEmail>(1_000),
    "ai-calls": new BoundedLog<SimulatedAiCall>(1_000),
    "receiver-calls": new BoundedLog<SimulatedReceiverCall>(1_000),
  };
  #lastSeq = 0;
  #listeners = new Set<StoreListener>();

  constructor(readonly now: () => Date) {}

  addMessage(message: Unnumbered<SimulatedMessage>): SimulatedMessage {
    return this.#add("messages", message);
  }

  /**
   * Stores a reply. Keeps messages of one chat at least a millisecond apart, because the order of
   * messages with the same time is undefined.
   *
   * @param reply with `receivedAt` if it was not written now.
   */
  addReply(
    reply: Unnumbered<SimulatedReply> & { readonly receivedAt?: string },
  ): SimulatedReply {
    return this.#add("replies", { receivedAt: this.#nextInstant(reply), ...reply });
  }

  addChange(change: Unnumbered<SimulatedChange>): SimulatedChange {
    return this.#add("changes", change);
  }

  addStatus(status: Unnumbered<SimulatedStatus>): SimulatedStatus {
    return this.#add("statuses", status);
  }

  addReadReceipt(receipt: Unnumbered<SimulatedReadReceipt>): SimulatedReadReceipt {
    return this.#add("read-receipts", receipt);
  }

  addTyping(typing: Unnumbered<SimulatedTyping>): SimulatedTyping {
    return this.#add("typings", typing);
  }

  addBlock(block: Unnumbered<SimulatedBlock>): SimulatedBlock {
    return this.#add("blocks", block);
  }

  addEmail(email: Unnumbered<SimulatedEmail>): SimulatedEmail {
    return this.#add("emails", email);
  }

  addAiCall(call: Unnumbered<SimulatedAiCall>): SimulatedAiCall {
    return this.#add("ai-calls", call);
  }

  addReceiverCall(call: Unnumbered<SimulatedReceiverCall>): SimulatedReceiverCall {
    return this.#add("receiver-calls", call);
  }

  /** Takes the records of an earlier run, which keep their numbers and instants. */
  restore(history: readonly StoreEntry[]): void {
    for (const { kind, record } of history) {
      this.#lastSeq = Math.max(this.#lastSeq, record.seq);
      this.#keep(kind, record);
    }
  }

  /** Every stored record, in the order of arrival. */
  list(): StoreEntry[] {
    const entries = logNames.flatMap((kind) => {
      const log = this.logs[kind];
      return log.read({ limit: log.capacity }).items.map((record) => ({ kind, record }));
    });
    return entries.sort((one, other) => one.record.seq - other.record.seq);
  }

  /** Empties one log and returns the number of deleted records. */
  clear(kind: LogName): number {
    const count = this.logs[kind].clear();
    this.announce({ type: "cleared", kind });
    return count;
  }

  announce(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls `listener` on every change until the returned function is called. */
  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Now, but at least a millisecond after the chat's previous message. */
  #nextInstant({ provider, instance, waId }: Unnumbered<SimulatedReply>): string {
    const [former] = this.logs.replies.read({
      matches: (one) => one.provider === provider && one.instance === instance && one.waId === waId,
      limit: 1,
    }).items;
    const earliestMs = former === undefined ? 0 : Date.parse(former.receivedAt) + 1;
    return new Date(Math.max(this.now().getTime(), earliestMs)).toISOString();
  }

  #add<Kind extends LogName>(
    kind: Kind,
    fields: Unnumbered<RecordKinds[Kind]>,
  ): RecordKinds[Kind] {
    const numbered = {
      seq: ++this.#lastSeq,
      receivedAt: this.now().toISOString(),
      ...fields,
    } as unknown as RecordKinds[Kind];
    this.#keep(kind, numbered);
    return numbered;
  }

  #keep<Kind extends LogName>(kind: Kind, record: RecordKinds[Kind]): void {
    const log: { add(entry: RecordKinds[Kind]): void } = this.logs[kind];
    log.add(record);
    this.announce({ type: "added", kind, record });
  }
}
