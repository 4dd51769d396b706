/**
 * Reads that a standby answers, as the primary would: a caller sees everything that was answered before, by this
 * process or by another one.
 *
 * For each read the primary is asked where it is (`read_position`, which reads no table of a tenant), and the standby
 * answers only when it has replayed that far. So nothing need be known of who has written what, and by which process.
 * Where the standby does not answer, is behind, or is none of this primary, the primary answers.
 */

import { consoleLog, type Log } from "../runtime/log.ts";
import { countRead, type ReadAnswer } from "../runtime/read_counters.ts";
import type { Database } from "./database.ts";
import { PrimaryPositions } from "./primary_positions.ts";
import type { PrimaryPosition } from "./rpcs/availability.ts";
import type { FeedPage, FeedQuery } from "./rpcs/events.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";

/** The functions that only read, of the lists, the history and the feed. A test calls each in a read-only session. */
export const standbyRpcs: ReadonlySet<RpcName> = new Set([
  "list_batch_recipients",
  "list_contacts",
  "list_conversation_notes",
  "list_conversation_transfers",
  "list_conversations",
  "list_event_deliveries",
  "list_message_queue",
  "list_messages",
  "list_unread_messages",
  "read_events",
  "read_history",
]);

/** Position that a standby must have replayed. */
export type StandbyPosition = Pick<PrimaryPosition, "server" | "lsn">;

export type StandbyAnswer =
  | { readonly result: unknown }
  /** The primary is to answer: see `ReadAnswer`. */
  | { readonly failure: "behind" | "lost" | "failed" | "busy" };

export interface Standby {
  /** Executes a function at the position, or says why not. @throws {AppError} as `Database.rpc`, for what it read. */
  read(name: RpcName, request: object, position: StandbyPosition): Promise<StandbyAnswer>;
  close(): Promise<void>;
}

/** How long a standby that is behind or lost is left alone, in milliseconds. One read tries it again then. */
const avoidedMs = 1_000;

/** Has the standby answer what it can; `primary` does everything else. */
export function readFromStandby(
  primary: Database,
  standby: Standby,
  log: Log = consoleLog,
): Database {
  const reads = new StandbyReads(primary, standby, log);
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      return standbyRpcs.has(name)
        ? await reads.read(name, request)
        : await primary.rpc(name, request);
    },
    close: async () => {
      reads.close();
      await Promise.all([standby.close(), primary.close()]);
    },
  };
}

class StandbyReads {
  /** Apart from the others: those of the feed wait for a synchronous standby. */
  readonly #feedPositions;
  readonly #positions;
  #avoidedUntil = -Infinity;
  /** Why the standby is avoided; null while it is used. */
  #fault: "behind" | "lost" | null = null;

  constructor(
    private readonly primary: Database,
    private readonly standby: Standby,
    private readonly log: Log,
  ) {
    this.#feedPositions = new PrimaryPositions((request) => primary.rpc("read_position", request));
    this.#positions = new PrimaryPositions((request) => primary.rpc("read_position", request));
  }

  async read<Name extends RpcName>(
    name: Name,
    request: RequestOf<Name>,
  ): Promise<ResultOf<Name>> {
    const answer = await this.#askStandby(name, request);
    if ("result" in answer) {
      countRead("standby");
      return answer.result as ResultOf<Name>;
    }
    const result = await this.primary.rpc(name, request);
    if (name === "read_events") this.#feedPositions.forget();
    countRead(answer.failure);
    return result;
  }

  close(): void {
    this.#feedPositions.close();
    this.#positions.close();
  }

  async #askStandby(
    name: RpcName,
    request: object,
  ): Promise<StandbyAnswer | { readonly failure: ReadAnswer }> {
    if (performance.now() < this.#avoidedUntil) return { failure: "avoided" };
    // While it is avoided, this read is the only one that tries.
    if (this.#fault !== null) this.#avoidedUntil = performance.now() + avoidedMs;
    const answer = name === "read_events"
      ? await this.#readFeed(request as FeedQuery)
      : await this.#readElse(name, request);
    if ("result" in answer) this.#use();
    else if (answer.failure === "behind" || answer.failure === "lost") this.#avoid(answer.failure);
    return answer;
  }

  async #readElse(name: RpcName, request: object): Promise<StandbyAnswer> {
    const position = await this.#positions.find({ instanceId: null, isShareable: false });
    return await this.standby.read(name, request, toMark(position));
  }

  /** Only the primary knows what its writers may still record, so the horizon is its own. */
  async #readFeed(query: FeedQuery): Promise<StandbyAnswer> {
    const { instanceId, isWaiting = false } = query;
    const position = await this.#feedPositions.find({ instanceId, isShareable: isWaiting });
    const horizon = position.horizons[instanceId] ?? null;
    const answer = await this.standby.read("read_events", { ...query, horizon }, toMark(position));
    // What it knows of lost and purged events may be of before a promotion: the primary refuses cursors.
    if ("result" in answer && (answer.result as FeedPage).state !== "ok") {
      return { failure: "failed" };
    }
    return answer;
  }

  #use(): void {
    if (this.#fault === null) return;
    this.#fault = null;
    this.#avoidedUntil = -Infinity;
    this.log.info("standby_resumed", {});
  }

  #avoid(fault: "behind" | "lost"): void {
    this.#avoidedUntil = performance.now() + avoidedMs;
    if (this.#fault === fault) return;
    this.#fault = fault;
    this.log.info("standby_avoided", { reason: fault });
  }
}

function toMark({ server, lsn }: PrimaryPosition): StandbyPosition {
  return { server, lsn };
}
