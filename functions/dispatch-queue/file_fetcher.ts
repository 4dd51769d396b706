import type { ClaimedFetch } from "../../shared/database/rpcs/media.ts";
import { FetchBudget } from "../../shared/outbox/fetch_budget.ts";
import type { MediaWork } from "../../shared/outbox/media_work.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";

export interface FetchingServices {
  readonly media: MediaWork;
  readonly log: Log;
}

/** Files at once. Each holds some 100 kB of its file, and mostly waits for its provider. */
const maxAtOnce = 4;
/**
 * Time between the beginnings of two files. A burst of files would take the processor from sends of the
 * same moment: their p95 was 1.5 times quiet with 10 ms, 1.3 with 40, and 1.2 with 60, as beside as many
 * text messages (bench media). A thousand files take a minute so.
 */
export const betweenFilesMs = 60;

/**
 * Fetches received files during one run of the dispatcher. Each of its workers settles a file and claims
 * the next one in the same call, until none is due.
 */
export class FileFetcher {
  readonly #budget: FetchBudget;
  #working = 0;
  #nextTurnAt = 0;
  #isClaiming = false;
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

  /** Lets free workers look for files. Resolves when they find none any more. */
  async start(): Promise<void> {
    const room = Math.min(maxAtOnce - this.#working, this.#budget.files);
    if (room <= 0 || this.#isClaiming || this.#isFinishing) return;
    this.#isClaiming = true;
    const claimed = await this.services.media.claimFiles(room)
      .finally(() => this.#isClaiming = false);
    this.#count(claimed.length);
    await Promise.all(claimed.map((file) => this.#work(file)));
  }

  /** Ends the claiming. */
  finish(): void {
    this.#isFinishing = true;
  }

  async #work(first: ClaimedFetch): Promise<void> {
    this.#working += 1;
    try {
      let file: ClaimedFetch | null = first;
      while (file !== null) {
        await this.#awaitTurn();
        file = await this.services.media.fetchFile(file, this.#budget, {
          takesNext: () => !this.#isFinishing && this.#budget.files > 0,
        });
        if (file !== null) this.#count(1);
      }
    } catch (error) {
      // The row is due again when its lease ends.
      this.services.log.error("outbox_pass_failed", describeDefect(error));
    } finally {
      this.#working -= 1;
    }
  }

  async #awaitTurn(): Promise<void> {
    const now = performance.now();
    const turnAt = Math.max(now, this.#nextTurnAt);
    this.#nextTurnAt = turnAt + betweenFilesMs;
    if (turnAt > now) await new Promise((resolve) => setTimeout(resolve, turnAt - now));
  }

  #count(files: number): void {
    this.#files += files;
    this.#budget.takeFiles(files);
  }
}
