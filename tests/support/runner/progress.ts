/** How far a run is, in one line. */

import type { RunEstimate } from "./durations.ts";
import type { Lane } from "./test_layers.ts";
import type { Outcome } from "./test_output.ts";

/** One process of tests. */
export interface ProgressPart {
  /** @param seconds since the run has begun. */
  start(seconds: number): void;
  /** One of its tests has ended. */
  count(outcome: Outcome): void;
  end(): void;
}

export interface Progress {
  add(lane: Lane, estimate: RunEstimate): ProgressPart;
  /** `1204 of 3251 tests, 0 failed, about 118 s left`. @param seconds since the run has begun. */
  describe(seconds: number): string;
}

interface Part {
  readonly lane: Lane;
  readonly estimate: RunEstimate;
  state: "waiting" | "running" | "ended";
  startedSeconds: number;
  done: number;
}

/** A part of fewer tests is measured by its time, because one of them may take nearly all of it. */
const fewTests = 20;

/** Follows a run whose workers take parts in the order in which they are added. */
export function followProgress(workersOf: Readonly<Record<Lane, number>>): Progress {
  const parts: Part[] = [];
  let failed = 0;
  return {
    add: (lane, estimate) => {
      const part: Part = { lane, estimate, state: "waiting", startedSeconds: 0, done: 0 };
      parts.push(part);
      return {
        start: (seconds) => {
          part.state = "running";
          part.startedSeconds = seconds;
        },
        count: (outcome) => {
          part.done++;
          if (outcome === "failed") failed++;
        },
        end: () => void (part.state = "ended"),
      };
    },
    describe: (seconds) => {
      const done = parts.reduce((total, part) => total + part.done, 0);
      const left = Math.ceil(estimateSecondsLeft(parts, workersOf, seconds));
      const sum = (field: keyof RunEstimate): number =>
        parts.reduce((total, { estimate }) => total + estimate[field], 0);
      // Of few files nothing follows for the others.
      if (sum("knownFiles") <= sum("files") / 2) {
        return `${done} tests, ${failed} failed, after ${Math.round(seconds)} s`;
      }
      const isComplete = sum("knownFiles") === sum("files");
      const all = `${isComplete ? "" : "at least "}${Math.max(sum("tests"), done)}`;
      return `${done} of ${all} tests, ${failed} failed, about ${left} s left`;
    },
  };
}

/** When the last worker ends. Those of `apps` take parts of `processes` when they have none of their own. */
function estimateSecondsLeft(
  parts: readonly Part[],
  workersOf: Readonly<Record<Lane, number>>,
  nowSeconds: number,
): number {
  const workers = (["apps", "processes"] as const).flatMap((lane) =>
    Array.from({ length: workersOf[lane] }, () => ({ lane, busy: 0 }))
  );
  const assign = (part: Part): void => {
    const able = workers.filter(({ lane }) => lane === part.lane || part.lane === "processes");
    // A worker of its own lane, where both are free.
    const [next] = able.toSorted((a, b) =>
      a.busy - b.busy || Number(b.lane === part.lane) - Number(a.lane === part.lane)
    );
    if (next !== undefined) next.busy += secondsLeftOf(part, nowSeconds);
  };
  const ofLane = (lane: Lane, state: Part["state"]): readonly Part[] =>
    parts.filter((part) => part.lane === lane && part.state === state);
  for (const state of ["running", "waiting"] as const) {
    for (const lane of ["apps", "processes"] as const) ofLane(lane, state).forEach(assign);
  }
  return Math.max(0, ...workers.map(({ busy }) => busy));
}

function secondsLeftOf(part: Part, nowSeconds: number): number {
  const { estimate: { seconds, tests }, done, state, startedSeconds } = part;
  if (state === "waiting") return seconds;
  const left = tests < fewTests
    ? seconds - (nowSeconds - startedSeconds)
    : seconds * (1 - done / tests);
  return Math.max(0, left);
}
