import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";

const writes =
  /\bDeno\s*\.\s*(?:stdout|stderr)\s*\.\s*write|\bstream\s*\.\s*writeSync|(?<![.\w])console\s*\./;

/**
 * What writes to a terminal: one place for all programs, the command line's own (whose texts `runAdminCommand`
 * makes visible), what prints figures alone, and the functions' log with its readable form.
 */
const writers: ReadonlySet<string> = new Set([
  "supabase/host/terminal.ts",
  "supabase/admin/admin.ts",
  "supabase/host/package_fetching.ts",
  "supabase/local/request_log.ts",
  "shared/runtime/log.ts",
]);

Deno.test("what programs print goes through the places that make texts visible", async () => {
  const files = await readSourceFiles("functions", "shared", "supabase");
  const found = files.filter(({ path, code }) =>
    writes.test(code) && !path.startsWith("supabase/tools/")
  ).map(({ path }) => path);
  assertEquals(found.filter((path) => !writers.has(path)), []);
  assertEquals([...writers].filter((path) => !found.includes(path)), []);
});
