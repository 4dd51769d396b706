/** Shows a run while it goes on, and keeps how long its tests took. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openDisplay } from "./display.ts";
import {
  addDurations,
  type Durations,
  estimateRun,
  readDurations,
  shareSeconds,
  writeDurations,
} from "./durations.ts";
import { followProgress, type Progress, type ProgressPart } from "./progress.ts";
import type { LayerResult } from "./run_layer.ts";
import { folderOf, formatCounts, workersOf } from "./test_layers.ts";
import { readOutput, type ToldFailure } from "./test_output.ts";
import type { ChosenLayer } from "./test_selection.ts";

export interface FollowedRun {
  print(line: string): void;
  /** Runs a part: shows each failure at once, and at its end how it went. */
  follow(
    part: ChosenLayer,
    start: (write: (line: string) => void) => Promise<LayerResult>,
  ): Promise<LayerResult>;
  /** Ends the display, and keeps the durations for the next run. */
  close(): Promise<void>;
}

export interface RunToFollow {
  /** In the order in which they are taken. */
  readonly parts: readonly ChosenLayer[];
  readonly filter: string | undefined;
  /** The test files of a folder. */
  readonly listFiles: (folder: string) => Promise<readonly string[]>;
  /** Of the repository. */
  readonly root: string;
  readonly write: (text: string) => void;
  /** Columns of the terminal; undefined where the output is none. */
  readonly columns: number | undefined;
}

/** What a part has printed beside its tests' results, for its end. */
interface Kept {
  readonly all: string[];
  readonly printed: string[];
}

/** Lines that a green part shows of what its tests printed. */
const shownLines = 10;

/** Shows a run of parts. Where there is only one, its output is shown as it comes. */
export async function followRun(run: RunToFollow): Promise<FollowedRun> {
  const { filter, root, write, columns } = run;
  const durationsPath = join(root, ".local", "test_durations.json");
  let durations = await readDurations(durationsPath);
  const progress = followProgress(workersOf);
  const progressOf = await planParts(run, progress, durations);
  const started = performance.now();
  const secondsSoFar = (): number => (performance.now() - started) / 1_000;
  const describe = (): string => progress.describe(secondsSoFar());
  const { print, close } = openDisplay({ write, describe, columns });
  const isAlone = run.parts.length === 1;
  return {
    print,
    follow: async (part, start) => {
      const name = nameOf(part);
      const kept: Kept = { all: [], printed: [] };
      const own = progressOf.get(part);
      const begun = secondsSoFar();
      own?.start(begun);
      if (isAlone) print(`\n── ${name}`);
      const result = await start(showOutput(print, { own, kept, isAlone, root }));
      own?.end();
      const seconds = secondsSoFar() - begun;
      const shares = shareSeconds(result.results, seconds);
      durations = addDurations(durations, shares, filter !== undefined);
      if (!isAlone) showEnd(print, name, kept, result);
      print(`${name}: ${formatCounts(result.counts)} in ${Math.round(seconds)} s`);
      return result;
    },
    close: async () => {
      close();
      await writeDurations(durationsPath, durations);
    },
  };
}

async function planParts(
  { parts, filter, listFiles }: RunToFollow,
  progress: Progress,
  durations: Durations,
): Promise<Map<ChosenLayer, ProgressPart>> {
  const planned = new Map<ChosenLayer, ProgressPart>();
  for (const part of parts) {
    const files = await Promise.all(
      part.paths.map((path) => path.endsWith(".ts") ? [path] : listFiles(path)),
    );
    const estimate = estimateRun(durations, files.flat(), filter);
    planned.set(part, progress.add(part.lane, estimate));
  }
  return planned;
}

function nameOf(part: ChosenLayer): string {
  return part.longestFiles === undefined ? folderOf(part) : part.paths.join(" ");
}

/** Shows or keeps each line of a part. */
function showOutput(
  print: (line: string) => void,
  { own, kept, isAlone, root }: {
    readonly own: ProgressPart | undefined;
    readonly kept: Kept;
    readonly isAlone: boolean;
    readonly root: string;
  },
): (line: string) => void {
  const read = readOutput();
  const keep = isAlone ? print : (line: string): void => void kept.all.push(line);
  return (text) => {
    const line = read(text);
    if (line.kind === "told") describeFailure(line.failure, root).forEach(print);
    if (line.kind === "other" || line.kind === "printed") keep(line.line);
    if (line.kind === "printed") kept.printed.push(line.line);
    if (line.kind !== "ended") return;
    own?.count(line.outcome);
    const isNews = line.outcome === "failed" && !line.isTold;
    if (isAlone || isNews) print(line.line);
  };
}

function describeFailure({ name, place, text }: ToldFailure, root: string): string[] {
  const file = place.replace(pathToFileURL(root).href, "");
  return ["", `── failed: ${name}`, file, ...text.split("\n").map((line) => `    ${line}`), ""];
}

/** Shows all that a failed part printed; of a green one the figures, without the service's log. */
function showEnd(
  print: (line: string) => void,
  name: string,
  kept: Kept,
  { counts }: LayerResult,
): void {
  if (counts.failed > 0) {
    print(`\n── ${name}`);
    kept.all.forEach(print);
    return;
  }
  const figures = kept.printed.filter((line) => line !== "" && !line.startsWith("{"));
  for (const line of figures.slice(0, shownLines)) print(`    ${line}`);
}
