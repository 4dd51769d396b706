import type { Database } from "../../shared/database/database.ts";
import type { OutboxRow } from "../../shared/database/rpcs/outbox.ts";
import type { OutboxKind } from "../../shared/model/outbox_kinds.ts";
import { claimOutbox } from "../../shared/outbox/delivery.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { type CallBounds, CallsUnderWay } from "./calls_under_way.ts";

/** Work of some kinds that runs side by side, up to bounds of its own. */
export interface LaneOfWork extends CallBounds {
  readonly kinds: readonly OutboxKind[];
  /** Does the work of a row and settles it. */
  readonly work: (row: OutboxRow) => Promise<void>;
}

/** Does the outbox's work of one lane during one run of the dispatcher. */
export class OutboxLane {
  readonly #calls: CallsUnderWay;
  #claiming: Promise<void> | null = null;
  /** Whether the last claim had no room for all that was due, as far as it knows. */
  #isBacklogged = false;
  #isFinishing = false;
  #rows = 0;

  constructor(
    private readonly services: { readonly database: Database; readonly log: Log },
    private readonly lane: LaneOfWork,
  ) {
    this.#calls = new CallsUnderWay(lane);
  }

  /** Number of rows claimed so far. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Begins the work of due rows, as far as there is room. Resolves once it has claimed them; never rejects.
   */
  async fill(): Promise<void> {
    this.#claiming ??= this.#claim().catch((error: unknown) => this.#tell(error))
      .finally(() => this.#claiming = null);
    await this.#claiming;
  }

  /** From now on it claims once for each `fill`, and not by itself. Waits for the work in progress. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#claiming;
    await this.#calls.finish();
  }

  async #claim(): Promise<void> {
    for (let room = this.#calls.room(); room > 0; room = this.#calls.room()) {
      const rows = await claimOutbox(this.services.database, {
        kinds: this.lane.kinds,
        maxRows: room,
        crowdingInstances: this.#calls.crowding(),
      });
      this.#rows += rows.length;
      this.#isBacklogged = rows.length === room;
      for (const row of rows) this.#begin(row);
      if (!this.#isBacklogged || this.#isFinishing) return;
    }
  }

  #begin(row: OutboxRow): void {
    const work = this.lane.work(row).catch((error: unknown) => this.#tell(error));
    this.#calls.add(ownerOf(row), work);
    // Polls of the queue are too far apart for a lane in which rows wait for room.
    work.then(() => this.#isBacklogged && !this.#isFinishing ? this.fill() : undefined);
  }

  /** A row is due again when its lease ends. */
  #tell(error: unknown): void {
    this.services.log.error("outbox_pass_failed", describeDefect(error));
  }
}

function ownerOf({ payload }: OutboxRow): string {
  return typeof payload["instanceId"] === "string" ? payload["instanceId"] : "";
}
