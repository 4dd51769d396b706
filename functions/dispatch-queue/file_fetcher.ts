import type { ClaimedFetch } from "../../shared/database/rpcs/media.ts";
import { FetchBudget } from "../../shared/outbox/fetch_budget.ts";
import type { MediaWork } from "../../shared/outbox/media_work.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { CallsUnderWay } from "./calls_under_way.ts";

export interface FetchingServices {
  readonly media: MediaWork;
  readonly log: Log;
}

/** Each holds some 100 kB of its file, and mostly waits for its provider. */
const files = { quick: 4, all: 16, slowOfInstance: 4 };
/**
 * Time between the beginnings of two files. A burst of files would take the processor from sends of the
 * same moment: their p95 was 1.5 times quiet with 10 ms, 1.3 with 40, and 1.2 with 60, as beside as many
 * text messages (bench media). A thousand files take a minute so.
 */
export const betweenFilesMs = 60;

/**
 * Fetches received files during one run of the dispatcher. A file that is settled claims the next one in the
 * same call, until none is due.
 */
export class FileFetcher {
  readonly #budget: FetchBudget;
  readonly #calls = new CallsUnderWay(files);
  #nextTurnAt = 0;
  #claiming: Promise<void> | null = null;
  #isFinishing = false;
  #files = 0;

  /** @param maxMessages of the run: see `FetchBudget`. */
  constructor(private readonly services: FetchingServices, maxMessages: number) {
    this.#budget = new FetchBudget(maxMessages);
  }

  /** Number of files claimed so far. */
  get files(): number {
    return this.#files;
  }

  /** Begins to fetch as many files as there is room for. Resolves once it has claimed them. */
  async start(): Promise<void> {
    this.#claiming ??= this.#claim().finally(() => this.#claiming = null);
    await this.#claiming;
  }

  /** Ends the claiming, and waits for the files under way. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#claiming?.catch(() => {});
    await this.#calls.finish();
  }

  async #claim(): Promise<void> {
    const room = Math.min(this.#calls.room(), this.#budget.files);
    if (room <= 0 || this.#isFinishing) return;
    const claimed = await this.services.media.claimFiles(room, this.#calls.crowding());
    for (const file of claimed) this.#begin(file);
  }

  #begin(claimed: ClaimedFetch): void {
    this.#files += 1;
    this.#budget.takeFiles(1);
    this.#calls.add(claimed.file.instanceId, this.#work(claimed));
  }

  async #work(claimed: ClaimedFetch): Promise<void> {
    try {
      await this.#awaitTurn();
      const next = await this.services.media.fetchFile(claimed, this.#budget, {
        // The file leaves its place to the next one.
        takesNext: () => !this.#isFinishing && this.#budget.files > 0 && this.#calls.room() >= 0,
        crowding: () => this.#calls.crowding(),
      });
      if (next !== null) this.#begin(next);
    } catch (error) {
      // The row is due again when its lease ends.
      this.services.log.error("outbox_pass_failed", describeDefect(error));
    }
  }

  async #awaitTurn(): Promise<void> {
    const now = performance.now();
    const turnAt = Math.max(now, this.#nextTurnAt);
    this.#nextTurnAt = turnAt + betweenFilesMs;
    if (turnAt > now) await new Promise((resolve) => setTimeout(resolve, turnAt - now));
  }
}
