/** Reads the output of `deno test`, line by line. */

import { stripColors } from "./test_layers.ts";

/** What a test threw, said when it failed. */
export interface ToldFailure {
  readonly name: string;
  /** URL and line of the test. */
  readonly place: string;
  readonly text: string;
}

export type OutputLine =
  /** A failure that tell_failures.ts tells. */
  | { readonly kind: "told"; readonly failure: ToldFailure }
  /** A test has ended. */
  | {
    readonly kind: "ended";
    readonly outcome: Outcome;
    readonly line: string;
    /** Whether its failure was told. */
    readonly isTold: boolean;
  }
  /** What a test printed. */
  | { readonly kind: "printed"; readonly line: string }
  /** A frame or a heading, or part of a failure that was told. */
  | { readonly kind: "dropped" }
  | { readonly kind: "other"; readonly line: string };

export type Outcome = "passed" | "failed" | "skipped";

const outcomes: Readonly<Record<string, Outcome>> = {
  ok: "passed",
  FAILED: "failed",
  cancelled: "failed",
  ignored: "skipped",
};
const told = "\u001efailed test ";
// A step has the name of its test in front of its own, or is indented.
const ended = /^(?!\s)((?:(?! \.\.\. ).)+) \.\.\. (ok|FAILED|cancelled|ignored)(?: \(.*\))?$/;
const section = /^ (ERRORS|FAILURES) $/;
const failureHead = /^(?:(.+) => \S+:\d+:\d+|\S+ \(uncaught error\))$/;

/** A reader of one process's output. It is given every line, in order. */
export function readOutput(): (line: string) => OutputLine {
  const toldNames = new Set<string>();
  let isPrinting = false;
  let isInErrors = false;
  let isRepeating = false;
  return (line) => {
    const plain = stripColors(line);
    // A test may have printed a part of a line.
    const [, failure] = line.split(told);
    if (failure !== undefined) {
      const read = JSON.parse(failure) as ToldFailure;
      toldNames.add(read.name);
      return { kind: "told", failure: read };
    }
    const border = /----- (?:post-test )?output( end)? -----/.exec(plain);
    if (border !== null) {
      isPrinting = border[1] === undefined;
      return { kind: "dropped" };
    }
    if (isPrinting) return { kind: "printed", line };
    const result = isInErrors ? null : ended.exec(plain);
    if (result !== null) {
      const [, title = "", word = ""] = result;
      const isTold = toldNames.has(title.replace(/^\S+ => /, ""));
      return { kind: "ended", outcome: outcomes[word] ?? "failed", line, isTold };
    }
    const heading = section.exec(plain)?.[1];
    if (heading !== undefined) {
      isInErrors = heading === "ERRORS";
      isRepeating = false;
      return { kind: "dropped" };
    }
    const head = failureHead.exec(plain);
    if (head !== null) isRepeating = isInErrors && toldNames.has(head[1] ?? "");
    // The list of failures, below the errors.
    const isListed = head !== null && !isInErrors;
    return isRepeating || isListed ? { kind: "dropped" } : { kind: "other", line };
  };
}
