import type { BenchServer } from "./bench_server.ts";
import type { Report } from "./report.ts";

/** Sizes of the measurements. The defaults take about 15 minutes on four cores. */
export interface BenchSizes {
  /** How often each side of a comparison is measured. */
  readonly rounds: number;
  /** How long one measurement of a rate lasts. */
  readonly seconds: number;
  /** Waiting messages of a full queue. */
  readonly waiting: number;
  /** Stored messages of a full history. */
  readonly stored: number;
  /** Contacts of the instance that contact_search searches. */
  readonly contacts: number;
  /** Events that the feed is read among. */
  readonly events: number;
  /** Messages a second of official_pace's number: above 80 an instance at 80 is measured beside it. */
  readonly rate: number;
  /** Recipients of the batch that is measured. */
  readonly recipients: number;
  /** Foreign rows of each kind on the smaller side of the bench growth; the larger has 100 times as many. */
  readonly foreign: number;
  /** Messages of each of the two contacts that neighbours merges. */
  readonly merged: number;
  /** Messages of the person that neighbours erases. */
  readonly erased: number;
  /** Messages claimed and settled in one measurement. */
  readonly drained: number;
  /** Messages of each half of the memory measurement. */
  readonly sends: number;
  /** Starts of each program in the measurement of cold starts. */
  readonly starts: number;
  /** Of each case of the bench soak. */
  readonly minutes: number;
  /** Share of the calls a second of the bench soak. */
  readonly share: number;
}

/** The context of a bench. */
export interface BenchContext {
  readonly server: BenchServer;
  readonly sizes: BenchSizes;
  /** Whether a part of a bench was asked for, by its name. */
  readonly includes: (part: string) => boolean;
  readonly report: Report;
}

/** One benchmark. It can run alone. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  /** Whether it runs only where it is named: it takes an hour. */
  readonly isOnlyByName?: boolean;
  run(context: BenchContext): Promise<void>;
}
