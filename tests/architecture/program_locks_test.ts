/** A program that people start fetches what it runs: its lock file names no other package. */
import {
  listProgramPackages,
  listPrograms,
  type ReadImports,
} from "../../supabase/tools/locks/program_packages.ts";
import { formatLock, selectPackages } from "../../supabase/tools/locks/select_packages.ts";
import { assertEquals } from "../support/assert.ts";
import { listFolders, readSourceFiles, readText } from "./repository.ts";

const { imports: importMap } = JSON.parse(await readText("import_map.json"));
const programs = listPrograms(await listFolders("functions"));

for (const program of programs) {
  Deno.test(`${program.lock} has the packages of its program, and no other (deno task lock)`, async () => {
    const packages = listProgramPackages(program, await readRepositoryImports(), importMap);
    const full = JSON.parse(await readText("deno.lock"));
    assertEquals(await readText(program.lock), formatLock(selectPackages(full, packages)));
  });
}

Deno.test("each task of deno.json names its lock file, so that none fetches what it does not run", async () => {
  const { lock, tasks }: { lock: boolean; tasks: Record<string, string> } = JSON.parse(
    await readText("deno.json"),
  );
  // `deno task` itself fetches the packages of the configuration's lock file, whatever the task.
  assertEquals(lock, false);
  const own = {
    start: "supabase/local/deno.lock",
    serve: "supabase/serve/deno.lock",
    admin: "supabase/admin/deno.lock",
  };
  const expected = Object.entries(tasks).flatMap(([name, command]) => {
    const text = JSON.stringify(command);
    if (name === "lock" || !/deno (?:run|check) /.test(text)) return [];
    const named = /--lock=(\S+)/.exec(text)?.[1];
    return [[name, named, own[name as keyof typeof own] ?? "deno.lock"]];
  });
  assertEquals(expected.filter(([, named, wanted]) => named !== wanted), []);
  assertEquals(expected.length > 10, true);
});

async function readRepositoryImports(): Promise<ReadImports> {
  const files = await readSourceFiles("functions", "shared", "supabase");
  const byPath = new Map(files.map((file) => [file.path, file.imports]));
  return (path) => (byPath.get(path) ?? []).filter(({ isTypeOnly }) => !isTypeOnly);
}
