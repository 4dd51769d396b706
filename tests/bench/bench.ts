import type { BenchServer } from "./bench_server.ts";
import type { Report } from "./report.ts";

/** How much is measured; the defaults fit a quarter of an hour on four cores. */
export interface BenchSizes {
  /** How often each side of a comparison is measured. */
  readonly rounds: number;
  /** How long one measurement of a rate lasts. */
  readonly seconds: number;
  /** Messages waiting where many are to wait. */
  readonly waiting: number;
  /** Messages stored where many are to be stored. */
  readonly stored: number;
  /** Messages worked off in one measurement of claiming and settling. */
  readonly drained: number;
  /** Messages of each half of the memory measurement. */
  readonly sends: number;
  /** Starts of each program in the measurement of cold starts. */
  readonly starts: number;
}

/** What a bench is given. */
export interface BenchContext {
  readonly server: BenchServer;
  readonly sizes: BenchSizes;
  readonly report: Report;
}

/** One row of the table of bars, callable alone. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<void>;
}
