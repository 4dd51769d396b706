/** What a function loads before its first request. */

import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/** Packages that a start must not pay for: they are loaded with the first call that needs them. */
const loadedLate = /^(?:@supabase\/(?:supabase|storage)-js|postgres|resend|openai)(?:\/|$)/;
/** Reached by a dynamic import alone (connect_database.ts), or from supabase/. */
const loadedLateItself: ReadonlySet<string> = new Set([
  "shared/database/direct_connection.ts",
  "shared/database/direct_database.ts",
  "shared/database/direct_standby.ts",
  "shared/database/primary_connection.ts",
  "shared/database/primary_host.ts",
]);

function findEarlyLoads(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !loadedLateItself.has(path)).flatMap(({ path, imports }) =>
    imports
      .filter(({ isTypeOnly, isDynamic }) => !isTypeOnly && !isDynamic)
      .filter(({ specifier, target }) =>
        loadedLate.test(specifier) || (target !== null && loadedLateItself.has(target))
      )
      .map(({ specifier }) => `${path}: ${specifier}`)
  );
}

Deno.test("no start loads a package that only some calls need", async () => {
  assertEquals(findEarlyLoads(await readSourceFiles("functions", "shared")), []);
});

Deno.test("an early load is found, a late one and one of types are not", () => {
  const offending = [
    `import { createClient } from "@supabase/supabase-js";`,
    `import { openDirectDatabase } from "../database/direct_database.ts";`,
  ];
  for (const text of offending) {
    assertEquals(findEarlyLoads([parseSourceFile("shared/media/a.ts", text)]).length, 1, text);
  }
  const fine = `import type { Resend } from "resend";\nconst late = await import("postgres");`;
  assertEquals(findEarlyLoads([parseSourceFile("shared/media/a.ts", fine)]), []);
});
