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

/** What Deno 2.9.6 takes a fifth of a sending function's start for. */
const slowBuiltIns: ReadonlySet<string> = new Set(["node:crypto", "node:buffer"]);

/** The modules that a function loads before its first request and that import a slow part of the runtime. */
function findSlowStarts(files: readonly SourceFile[], entry: string): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { target, isTypeOnly, isDynamic } of byPath.get(path)?.imports ?? []) {
      if (target !== null && !isTypeOnly && !isDynamic) loaded.add(target);
    }
  }
  return [...loaded].filter((path) =>
    byPath.get(path)?.imports.some(({ specifier }) => slowBuiltIns.has(specifier))
  );
}

Deno.test("the sending functions start without node:crypto and node:buffer", async () => {
  const files = await readSourceFiles("functions", "shared");
  for (const slug of ["send-message", "send-template-message", "batches-api"]) {
    assertEquals(findSlowStarts(files, `functions/${slug}/index.ts`), [], slug);
  }
  assertEquals(
    findSlowStarts(files, "functions/messages-context/index.ts"),
    ["shared/media/links.ts"],
    "the check finds one that loads them",
  );
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
