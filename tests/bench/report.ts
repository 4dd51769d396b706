import { quotients, type Spread, spreadOf } from "./statistics.ts";

/** The required value of a measurement. */
export interface Bar {
  readonly kind: "at least" | "at most" | "under";
  readonly value: number;
}

/** A comparison of two series of measurements, round by round. */
export interface Comparison {
  readonly what: string;
  readonly over: readonly number[];
  readonly under: readonly number[];
  /** Names of the two sides, and their unit. */
  readonly names: readonly [over: string, under: string];
  readonly unit: string;
  /** Absent for a figure that is only informative. */
  readonly bar?: Bar;
}

/** A single measurement. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly bar?: Bar;
  readonly note?: string;
}

/** Prints each result immediately, and counts met and missed bars. */
export class Report {
  #met = 0;
  #missed: string[] = [];

  constructor(private readonly print: (line: string) => void) {}

  /** Prints the title of the next benchmark. */
  title(text: string): void {
    this.print(`\n── ${text}`);
  }

  /** Prints an informative line. */
  note(text: string): void {
    this.print(`   ${text}`);
  }

  /** Prints the median ratio with its extremes, and each side's median. */
  comparison({ what, over, under, names, unit, bar }: Comparison): void {
    const ratio = spreadOf(quotients(over, under));
    this.print(
      `   ${what}: ${formatSpread(ratio)} times${this.#judge(what, ratio.median, bar)}\n` +
        `      ${names[0]} ${formatSpread(spreadOf(over))} ${unit}\n` +
        `      ${names[1]} ${formatSpread(spreadOf(under))} ${unit}`,
    );
  }

  figure({ what, value, unit, bar, note }: Figure): void {
    const tail = note === undefined ? "" : ` (${note})`;
    this.print(`   ${what}: ${formatNumber(value)} ${unit}${this.#judge(what, value, bar)}${tail}`);
  }

  /** Prints the summary. @returns whether all bars were met. */
  close(): boolean {
    this.print(`\n${this.#met} bars met, ${this.#missed.length} missed`);
    for (const what of this.#missed) this.print(`   missed: ${what}`);
    return this.#missed.length === 0;
  }

  #judge(what: string, value: number, bar: Bar | undefined): string {
    if (bar === undefined) return "";
    const isMet = meets(value, bar);
    if (isMet) this.#met += 1;
    else this.#missed.push(what);
    return `  [bar: ${bar.kind} ${formatNumber(bar.value)}: ${isMet ? "met" : "MISSED"}]`;
  }
}

function meets(value: number, { kind, value: wanted }: Bar): boolean {
  switch (kind) {
    case "at least":
      return value >= wanted;
    case "at most":
      return value <= wanted;
    case "under":
      return value < wanted;
  }
}

function formatSpread({ median, min, max }: Spread): string {
  return `${formatNumber(median)} (${formatNumber(min)}–${formatNumber(max)})`;
}

function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}
