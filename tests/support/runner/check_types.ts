/** Checks the types of a run, beside its tests, which run without that check. */

import { noCounts } from "./test_layers.ts";
import type { LayerResult } from "./run_layer.ts";

export interface TypeCheck {
  /** Where the repository is: its deno.json and lock file count. */
  readonly root: string;
  /** Files and folders, relative to `root`. */
  readonly paths: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Checks types. Wrong ones count as one failed test, whose text is what the check says: the tests run on,
 * so that a run tells both.
 */
export async function checkTypes({ root, paths, signal }: TypeCheck): Promise<LayerResult> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--lock=deno.lock", ...paths],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
    ...(signal === undefined ? {} : { signal }),
  }).output();
  if (success || signal?.aborted) return { counts: noCounts, results: [] };
  const failure = new TextDecoder().decode(stderr).trim();
  return {
    counts: { ...noCounts, failed: 1 },
    results: [{ name: "the types are right", file: "deno check", seconds: NaN, failure }],
  };
}
