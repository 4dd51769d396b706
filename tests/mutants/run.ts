/**
 * Breaks one rule at a time and tells which test turns red: `deno task test:mutants <path> ...`. A path is a
 * file or folder of `supabase/schemas`, or a TypeScript file or folder of `functions/` or `shared/`. What no test sees
 * SURVIVED: it wants a test, or it makes no difference to a caller.
 *
 * SQL is broken in copies of one migrated database, so nothing is built twice; TypeScript in a copy of the
 * repository. The working tree stays as it is. Which test calls which function of the database is learned from
 * each run and kept in `.local/mutants`: later runs go straight to the tests that reach a mutant.
 *
 * Options: `--limit` mutants (default 40), chosen by `--seed` (default 1); `--only <name>`, of those only such whose function, file
 * or change has the name in it; `--seconds` for one mutant (default 60); `--tests <part of a path>` runs those only; `--whole` runs all tests that
 * reach it, to compare what each test finds; `--list` only lists the mutants.
 * Exit code 1 where one survived.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepTemporaryFilesInMemory } from "../support/runner/temporary_folder.ts";
import { describeVerdict, type Verdict } from "./kills.ts";
import { type Mutant, sampleMutants } from "./mutant.ts";
import { huntSqlMutants } from "./sql_hunt.ts";
import { listSqlMutants } from "./sql_mutators.ts";
import { huntTypeScriptMutants } from "./typescript_hunt.ts";
import { listTypeScriptMutants } from "./typescript_mutators.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const interruption = new AbortController();

if (import.meta.main) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => interruption.abort());
  }
  keepTemporaryFilesInMemory();
  Deno.exit(await main());
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    options: {
      limit: { type: "string", default: "40" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      tests: { type: "string", default: "" },
      seconds: { type: "string", default: "60" },
      whole: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const all = (await Promise.all(positionals.map(listMutants))).flat()
    .filter((mutant) => isNamed(mutant, values.only));
  const chosen = sampleMutants(all, { limit: Number(values.limit), seed: Number(values.seed) });
  print(`${chosen.length} of ${all.length} mutants, seed ${values.seed}`);
  if (values.list) {
    for (const { file, line, what, before, after } of chosen) {
      print(`${file}:${line}  ${what}\n  - ${before}\n  + ${after}`);
    }
    return 0;
  }
  const options = {
    ...{ root, seconds: Number(values.seconds), isWhole: values.whole, tests: values.tests },
    signal: interruption.signal,
    report: print,
  };
  const verdicts = [
    ...await huntSqlMutants(chosen.filter(({ file }) => file.endsWith(".sql")), options),
    ...await huntTypeScriptMutants(chosen.filter(({ file }) => file.endsWith(".ts")), options),
  ];
  return summarize(verdicts, chosen.length);
}

/** Prints the survivors once more and the counts. What Postgres or Deno refused has no verdict. */
function summarize(verdicts: readonly Verdict[], chosen: number): number {
  const survivors = verdicts.filter(({ killers }) => killers.length === 0);
  print("\n── survivors");
  for (const verdict of survivors) print(describeVerdict(verdict));
  const killed = verdicts.length - survivors.length;
  print(
    `\n${killed} killed, ${survivors.length} survived, ${chosen - verdicts.length} invalid`,
  );
  return survivors.length > 0 ? 1 : 0;
}

function isNamed({ file, line, what, routine }: Mutant, name: string | undefined): boolean {
  return name === undefined || `${file}:${line} ${what} ${routine ?? ""}`.includes(name);
}

async function listMutants(path: string): Promise<Mutant[]> {
  const files = (await Deno.stat(join(root, path))).isDirectory ? await listFiles(path) : [path];
  const listed = await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(join(root, file));
    if (file.endsWith(".sql")) return listSqlMutants(file, text);
    return file.endsWith(".ts") ? listTypeScriptMutants(file, text) : [];
  }));
  return listed.flat();
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
    const path = `${folder.replace(/\/$/, "")}/${name}`;
    if (isDirectory) files.push(...await listFiles(path));
    else files.push(path);
  }
  return files.sort();
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
