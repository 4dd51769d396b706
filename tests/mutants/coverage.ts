/**
 * Which test calls which functions of the database, learned from each run of a test, and kept beside the
 * local stack's data. What was learned of a test whose file has changed since is forgotten.
 */

import { dirname, join } from "node:path";
import type { LoadedTest } from "./test_worker.ts";

/** What a test did when it ran last. */
export interface RecordedTest {
  readonly seconds: number;
  /** The functions that it called. */
  readonly functions: readonly string[];
}

/** What is known of tests. */
export interface Coverage {
  /** Undefined for a test that has not run yet. */
  get(test: Named): RecordedTest | undefined;
  note(test: Named, recorded: RecordedTest): void;
  save(): Promise<void>;
}

type Named = Pick<LoadedTest, "file" | "name">;
type Recording = Record<string, RecordedTest & { readonly recordedAt: number }>;

/** The name of a test in a recording. */
export function keyOf({ file, name }: Named): string {
  return `${file}\n${name}`;
}

/** Reads what is known. @param path of the recording. */
export async function readCoverage(root: string, path: string): Promise<Coverage> {
  const recording = await readRecording(path);
  for (const [key, { recordedAt }] of Object.entries(recording)) {
    const [file = ""] = key.split("\n");
    const stat = await Deno.stat(join(root, file)).catch(() => null);
    if ((stat?.mtime?.getTime() ?? Infinity) > recordedAt) delete recording[key];
  }
  return {
    get: (test) => recording[keyOf(test)],
    note: (test, recorded) => {
      recording[keyOf(test)] = { ...recorded, recordedAt: Date.now() };
    },
    save: async () => {
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, JSON.stringify(recording));
    },
  };
}

async function readRecording(path: string): Promise<Recording> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}
