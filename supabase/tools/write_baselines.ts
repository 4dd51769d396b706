/**
 * Generates the baseline migrations from supabase/schemas: `deno task db:baseline`. With `--check`
 * it writes nothing and fails when a baseline differs from the schemas.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { baselineHeader, readBaselines, renderBaseline, SchemaAreaError } from "./schema_areas.ts";

/** The folders of the schemas and the baselines. */
export interface BaselineFolders {
  readonly schemas: string;
  readonly migrations: string;
}

/**
 * Writes each baseline that differs, and removes those of removed areas; with `check` only lists
 * them.
 *
 * @returns the names of the files that differed.
 */
async function writeBaselines(folders: BaselineFolders, check: boolean): Promise<string[]> {
  const baselines = await readBaselines(folders.schemas);
  const wanted = new Map(
    baselines.map((baseline) => [`${baseline.migration}.sql`, renderBaseline(baseline)]),
  );
  const different: string[] = [];
  for (const [name, text] of wanted) {
    const path = join(folders.migrations, name);
    if (await readIfPresent(path) === text) continue;
    different.push(name);
    if (!check) await Deno.writeTextFile(path, text);
  }
  for (const name of await listBaselines(folders.migrations)) {
    if (wanted.has(name)) continue;
    different.push(name);
    if (!check) await Deno.remove(join(folders.migrations, name));
  }
  return different;
}

async function listBaselines(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.isFile || !entry.name.endsWith(".sql")) continue;
    const text = await Deno.readTextFile(join(folder, entry.name));
    if (text.startsWith(baselineHeader)) names.push(entry.name);
  }
  return names.sort();
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function main(check: boolean): Promise<number> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const folders = { schemas: join(root, "supabase/schemas"), migrations: join(root, "migrations") };
  try {
    const different = await writeBaselines(folders, check);
    for (const name of different) {
      print(
        `migrations/${name} ${check ? "is not" : "is now"} what supabase/schemas say`,
      );
    }
    if (different.length === 0) print("migrations/ is what supabase/schemas say");
    if (check && different.length > 0) print("Run `deno task db:baseline`.");
    return check && different.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof SchemaAreaError)) throw error;
    print(error.message);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--check")));
