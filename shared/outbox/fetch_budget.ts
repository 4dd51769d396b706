/** A file of this size takes a noticeable share of the processor time that a run has. */
const largeBytes = 16 * 2 ** 20;

/**
 * How many received files one run of the dispatcher fetches, measured by the messages that it may send.
 * The hosted runtime gives a run two seconds of processor time: there, for 1,000 messages, 200 files and
 * 64 MB, and one document above 16 MB besides. Measured on Deno 2.1.4: 2.5 ms for a picture of 200 kB,
 * 0.7 s for a document of 100 MB. The next run goes on with the rest.
 */
export class FetchBudget {
  #files: number;
  #bytes: number;
  #largeFiles: number;

  constructor(maxMessages: number) {
    this.#files = Math.max(Math.floor(maxMessages / 5), 1);
    this.#bytes = maxMessages * 65_536;
    this.#largeFiles = Math.max(Math.floor(maxMessages / 1_000), 1);
  }

  /** How many more files the run may claim. */
  get files(): number {
    return this.#bytes > 0 ? this.#files : 0;
  }

  /** Files were claimed. */
  takeFiles(count: number): void {
    this.#files -= count;
  }

  /** Whether a file of this announced size may be fetched now; else it waits for another run. */
  takeSize(bytes: number): boolean {
    if (bytes <= largeBytes) {
      this.#bytes -= bytes;
      return true;
    }
    this.#largeFiles -= 1;
    return this.#largeFiles >= 0;
  }
}
