/** Hunts mutants of TypeScript files, in a copy of the repository. */

import { dirname, join } from "node:path";
import { findAffectedTests } from "../support/runner/affected_tests.ts";
import { listOwnFiles, readModules } from "../support/runner/changed_files.ts";
import { describeVerdict, huntMutant, type HuntOptions, type Verdict } from "./kills.ts";
import type { Mutant } from "./mutant.ts";
import { type MutatedDatabase, startMutatedDatabase } from "./mutated_database.ts";
import { startTestProcess } from "./test_process.ts";

/** Layers whose tests run in one process, the quickest first. */
const layers = ["tests/unit/", "tests/functions/", "tests/database/"];

/** @returns a verdict of each mutant that Deno loads. */
export async function huntTypeScriptMutants(
  mutants: readonly Mutant[],
  options: HuntOptions,
): Promise<Verdict[]> {
  if (mutants.length === 0) return [];
  await using database = await startMutatedDatabase(options.root);
  const copy = await Deno.makeTempDir({ prefix: "messaging-mutants-" });
  const verdicts: Verdict[] = [];
  try {
    const texts = await readModules(options.root);
    await copyFiles(options.root, copy);
    for (const mutant of mutants) {
      if (options.signal.aborted) break;
      const path = join(copy, mutant.file);
      await Deno.writeTextFile(path, mutant.text);
      const files = orderFiles(findAffectedTests([mutant.file], texts), mutant.file)
        .filter((file) => file.includes(options.tests));
      const verdict = await huntInCopy(mutant, { ...options, copy, database, files });
      options.report(describeVerdict(verdict));
      verdicts.push(verdict);
      await Deno.writeTextFile(path, texts.get(mutant.file) ?? "");
    }
    return verdicts;
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

/** File by file: loading those of the layer `functions` takes longer than most of their tests. */
async function huntInCopy(
  mutant: Mutant,
  { root, copy, database, files, seconds, isWhole }: HuntOptions & {
    readonly copy: string;
    readonly database: MutatedDatabase;
    readonly files: readonly string[];
  },
): Promise<Verdict> {
  const deadline = performance.now() + seconds * 1_000;
  let verdict: Verdict = { mutant, killers: [], ran: 0, left: 0 };
  for (const file of files) {
    const left = (deadline - performance.now()) / 1_000;
    if (left <= 0 || (!isWhole && verdict.killers.length > 0)) break;
    const found = await huntInFile(mutant, file, { root, copy, database, isWhole, seconds: left });
    verdict = {
      mutant,
      killers: [...verdict.killers, ...found.killers],
      ran: verdict.ran + found.ran,
      left: verdict.left + found.left,
    };
  }
  return verdict;
}

async function huntInFile(
  mutant: Mutant,
  file: string,
  { root, copy, database, seconds, isWhole }: Pick<HuntOptions, "root" | "seconds" | "isWhole"> & {
    readonly copy: string;
    readonly database: MutatedDatabase;
  },
): Promise<Verdict> {
  const broken = await startTestProcess(copy, [file], database.original).catch(() => null);
  if (broken === null) {
    const test = { id: 0, name: "loads", file, source: "" };
    return { mutant, killers: [{ test, failure: "is not loaded" }], ran: 1, left: 0 };
  }
  await using _ = broken;
  return await huntMutant(mutant, {
    tests: broken.tests,
    secondsOf: () => undefined,
    isReaching: () => true,
    runBroken: (test, limit) => broken.run(test, limit, database.original),
    runOriginal: async (test, limit) => {
      await using original = await startTestProcess(root, [file], database.original);
      return await original.run(test, limit, database.original);
    },
    ...{ seconds, isWhole },
  });
}

/** Tests with the name of the file first, then by layer. */
function orderFiles(files: readonly string[], mutated: string): string[] {
  const name = mutated.split("/").at(-1)?.replace(".ts", "_test.ts") ?? "";
  const rank = (file: string): number =>
    layers.findIndex((layer) => file.startsWith(layer)) - (file.endsWith(`/${name}`) ? 10 : 0);
  return files
    .filter((file) => file.endsWith("_test.ts") && layers.some((layer) => file.startsWith(layer)))
    .toSorted((a, b) => rank(a) - rank(b));
}

async function copyFiles(root: string, copy: string): Promise<void> {
  for (const path of await listOwnFiles(root)) {
    await Deno.mkdir(dirname(join(copy, path)), { recursive: true });
    const { isSymlink, isFile } = await Deno.lstat(join(root, path));
    if (isSymlink) await Deno.symlink(await Deno.readLink(join(root, path)), join(copy, path));
    else if (isFile) await Deno.copyFile(join(root, path), join(copy, path));
  }
}
