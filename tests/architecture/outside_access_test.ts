import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile } from "./source_file.ts";
import type { SourceFile } from "./source_file.ts";

/** A kind of access to the outside, and the only modules that may use it. */
interface AccessRule {
  readonly what: string;
  /** Pattern of the access in code. */
  readonly pattern?: RegExp;
  /** Packages that provide the access. */
  readonly packages?: RegExp;
  readonly allowedIn: RegExp;
}

const rules: readonly AccessRule[] = [
  {
    what: "the environment or the server",
    pattern:
      /\bDeno\s*(?:\?\.|\.)\s*(?:env|serve)\b|\bDeno\s*\[|=\s*Deno\b(?!\s*\.)|\bprocess\s*\./,
    packages: /^node:process$/,
    allowedIn: /^functions\/[^/]+\/index\.ts$|^supabase\//,
  },
  {
    what: "the database",
    pattern: /\bcreateClient\s*\(/,
    packages: /^(?:postgres|pg|@supabase\/(?:supabase|postgrest)-js|@supabase\/lite)(?:\/|$)/,
    allowedIn: /^shared\/database\/|^supabase\/(?:host|serve|local|deploy|tools\/migrations)\//,
  },
  {
    what: "the outside world",
    pattern:
      /(?<![.\w$])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b|\bnew\s+(?:WebSocket|EventSource)\b/,
    packages: /^(?:resend|node:(?:https?|net|tls|dgram|dns(?:\/promises)?))$/,
    // data_api_database.ts gives its client a fetch that sends each call once, supabase_storage.ts one that
    // can be ended. single_session.ts opens the driver's sockets.
    // call_function.ts of mcp calls the other functions, as a client does.
    allowedIn:
      /^functions\/mcp\/call_function\.ts$|^shared\/(?:providers|agents)\/|^shared\/(?:outbox\/email_delivery|database\/(?:data_api_database|single_session)|events\/post_event|runtime\/host_resolution|media\/(?:fetch_file|supabase_storage))\.ts$|^supabase\//,
  },
];

function findAccess(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    rules.filter((rule) =>
      !rule.allowedIn.test(file.path) &&
      (rule.pattern?.test(file.code) === true ||
        file.imports.some(({ specifier }) => rule.packages?.test(specifier) === true))
    ).map((rule) => `${file.path} reaches ${rule.what}`)
  );
}

Deno.test("only the listed modules access environment, server, database and outside world", async () => {
  assertEquals(findAccess(await readSourceFiles("functions", "shared", "supabase")), []);
});

Deno.test("access from anywhere else is found", () => {
  const offending: readonly (readonly [what: string, text: string])[] = [
    ["the environment or the server", `const a = Deno.env.get("A");`],
    ["the environment or the server", `const a = Deno\n  .env.toObject();`],
    ["the environment or the server", `Deno.serve(app.fetch);`],
    ["the environment or the server", `const a = Deno["env"];`],
    ["the environment or the server", `const { env } = Deno;`],
    ["the environment or the server", `import process from "node:process";`],
    ["the environment or the server", `const a = process.env["A"];`],
    ["the database", `const a = createClient(url, key);`],
    ["the database", `import postgres from "postgres";`],
    ["the database", `import type { SupabaseClient } from "@supabase/supabase-js";`],
    ["the database", `import { PostgrestClient } from "@supabase/postgrest-js";`],
    ["the outside world", `const a = await fetch("https://example.com");`],
    ["the outside world", `const a = \`\${await fetch(url)}\`;`],
    ["the outside world", `const send = globalThis.fetch;`],
    ["the outside world", `import { Resend } from "resend";`],
  ];
  for (
    const path of ["functions/a/app.ts", "shared/messages/claim.ts", "shared/http/create_app.ts"]
  ) {
    for (const [what, text] of offending) {
      assertEquals(findAccess([parseSourceFile(path, text)]), [`${path} reaches ${what}`], text);
    }
  }
});

Deno.test("each place has its own access and no other", () => {
  const accessOf = (path: string): string[] =>
    findAccess([
      parseSourceFile(path, `import postgres from "postgres";\nDeno.serve(() => fetch(url));`),
    ]).map((found) => found.replace(`${path} reaches `, ""));
  assertEquals(accessOf("functions/a/index.ts"), ["the database", "the outside world"]);
  assertEquals(accessOf("functions/a/b/index.ts").length, 3);
  assertEquals(accessOf("shared/index.ts").length, 3);
  assertEquals(accessOf("supabase/local/start.ts"), []);
  assertEquals(accessOf("shared/database/direct.ts"), [
    "the environment or the server",
    "the outside world",
  ]);
  for (
    const path of [
      "shared/providers/http/call.ts",
      "shared/outbox/email_delivery.ts",
      "shared/agents/model.ts",
    ]
  ) {
    assertEquals(accessOf(path), ["the environment or the server", "the database"]);
  }
});

Deno.test("comments, texts and methods of the same name are no access", () => {
  const text = `
    // Deno.env, fetch(url) and createClient(
    const a = "Deno.serve(fetch(url))";
    const b = await app.fetch(request);
    const c = prefetch(url);
    const d = Deno.errors.NotFound;
  `;
  assertEquals(findAccess([parseSourceFile("shared/messages/claim.ts", text)]), []);
});
