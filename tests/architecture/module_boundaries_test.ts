import { assertEquals } from "../support/assert.ts";
import { readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

/** Pure modules: no runtime, no database, no HTTP. */
const pureModules: readonly string[] = [
  "shared/outbox/assignment_email.ts",
  "shared/outbox/batch_paused_email.ts",
  "shared/outbox/budget_email.ts",
  "shared/outbox/endpoint_disabled_email.ts",
  "shared/outbox/instance_disconnected_email.ts",
  "shared/outbox/instance_held_email.ts",
  "shared/crypto/client_token.ts",
  "shared/crypto/constant_time.ts",
  "shared/crypto/credential_vault.ts",
  "shared/crypto/encoding.ts",
  "shared/history/rendering.ts",
  "shared/history/period.ts",
  "shared/model/local_time.ts",
  "shared/model/media_url.ts",
  "shared/model/phone.ts",
  "shared/model/public_host.ts",
  "shared/model/public_url.ts",
];

/** Forbidden imports between layers. */
const forbiddenImports: readonly (readonly [from: string, to: readonly string[]])[] = [
  ["shared/", ["functions/", "supabase/", "tests/"]],
  ["functions/", ["supabase/", "tests/"]],
  ["supabase/", ["tests/"]],
  ["supabase/host/", ["supabase/local/", "supabase/serve/", "supabase/console/"]],
  ["supabase/console/", ["supabase/local/", "supabase/serve/"]],
  ["supabase/serve/", ["supabase/local/"]],
];

/** The modules of shared/ (docs/architecture.md): each imports those above it, and nothing below. */
const modules: readonly string[] = [
  "model",
  "runtime",
  "crypto",
  "media",
  "database",
  "idempotency",
  "templates",
  "history",
  "providers",
  "connections",
  "outbox",
  "events",
  "messages",
  "agents",
  "http",
  "openapi",
];

/** Providers convert messages to calls and responses to receipts, and never use the database. */
const modulesOfProviders: readonly string[] = ["model", "runtime", "crypto", "providers"];

function findForbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ target }) =>
      target !== null && (crossesLayers(path, target) || crossesModules(path, target))
    ).map(({ target }) => `${path} imports ${target}`)
  );
}

function crossesLayers(path: string, target: string): boolean {
  return forbiddenImports.some(([from, to]) =>
    path.startsWith(from) && to.some((folder) => target.startsWith(folder))
  );
}

function crossesModules(path: string, target: string): boolean {
  const [from, to] = [moduleOf(path), moduleOf(target)];
  if (from === undefined || to === undefined) return false;
  if (from === "providers") return !modulesOfProviders.includes(to);
  return modules.indexOf(to) > modules.indexOf(from);
}

/** The module of a file in shared/; undefined for every other file. */
function moduleOf(path: string): string | undefined {
  return /^shared\/([^/]+)\//.exec(path)?.[1];
}

/** Files of shared/ outside every listed module. */
function findHomelessFiles(paths: readonly string[]): string[] {
  return paths.filter((path) =>
    path.startsWith("shared/") && !modules.includes(moduleOf(path) ?? "")
  );
}

/** The `functions/<slug>/` prefix of a path, if it has one. */
function functionOf(path: string): string | undefined {
  return /^functions\/[^/]+\//.exec(path)?.[0];
}

function findImportsBetweenFunctions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ target }) =>
      functionOf(path) !== undefined && target !== null && target.startsWith("functions/") &&
      functionOf(path) !== functionOf(target)
    ).map(({ target }) => `${path} imports ${target}`)
  );
}

function findImportsOutsideTheRepository(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ specifier, target }) =>
      target?.startsWith("..") ?? /^(?:\/|file:)/.test(specifier)
    ).map(({ specifier }) => `${path} imports ${specifier}`)
  );
}

/** All modules that `path` loads at run time, `path` included. */
function collectDependencies(path: string, files: ReadonlyMap<string, SourceFile>): SourceFile[] {
  const found = new Map<string, SourceFile>();
  const visit = (next: string): void => {
    const file = files.get(next);
    if (file === undefined || found.has(next)) return;
    found.set(next, file);
    for (const { target, isTypeOnly } of file.imports) {
      if (target !== null && !isTypeOnly) visit(target);
    }
  };
  visit(path);
  return [...found.values()];
}

function findImpurities(pure: readonly string[], files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return pure.flatMap((path) => {
    if (!byPath.has(path)) return [`${path} does not exist`];
    return collectDependencies(path, byPath).flatMap((file) => {
      const impure = /^shared\/(?:database|http|providers)\//.test(file.path) ||
        /\bDeno\b|\bprocess\s*\.|(?<![.\w$])fetch\s*\(|\bconsole\s*\./.test(file.code) ||
        file.imports.some(({ specifier, isTypeOnly }) =>
          // `hono/html` joins texts, and is no part of its server.
          !isTypeOnly &&
          /^(?:node:|hono\b(?!\/html$)|postgres\b|pg\b|resend\b|@supabase\/)/.test(specifier)
        );
      return impure ? [`${path} is not pure because of ${file.path}`] : [];
    });
  });
}

Deno.test("functions never import each other", async () => {
  assertEquals(findImportsBetweenFunctions(await readSourceFiles("functions")), []);
});

Deno.test("an import between functions is found", () => {
  const files = [
    parseSourceFile("functions/a-api/app.ts", `import { b } from "../b-api/app.ts";`),
    parseSourceFile("functions/a-api/index.ts", `import { createApp } from "./app.ts";`),
    parseSourceFile("functions/c-api/app.ts", `const d = await import("../d.ts");`),
  ];
  assertEquals(findImportsBetweenFunctions(files), [
    "functions/a-api/app.ts imports functions/b-api/app.ts",
    "functions/c-api/app.ts imports functions/d.ts",
  ]);
});

Deno.test("shared code never imports functions, and each module only those above it", async () => {
  assertEquals(findForbiddenImports(await readSourceFiles("functions", "shared", "supabase")), []);
});

Deno.test("every file of shared/ stands in a module", async () => {
  const files = await readSourceFiles("shared");
  assertEquals(findHomelessFiles(files.map(({ path }) => path)), []);
});

Deno.test("a file of shared/ without a module is found", () => {
  const paths = ["shared/a.ts", "shared/attic/b.ts", "shared/model/c.ts", "functions/d/app.ts"];
  assertEquals(findHomelessFiles(paths), ["shared/a.ts", "shared/attic/b.ts"]);
});

Deno.test("an import across the layers or up the modules is found, a type too", () => {
  const offending: readonly (readonly [path: string, specifier: string])[] = [
    ["shared/messages/claim.ts", "../../functions/send-message/send.ts"],
    ["shared/messages/claim.ts", "../../tests/support/assert.ts"],
    ["functions/a/app.ts", "../../supabase/local/start.ts"],
    ["supabase/local/start.ts", "../../tests/support/wait_until.ts"],
    ["supabase/serve/service.ts", "../local/simulator/simulator.ts"],
    ["shared/providers/zapi/provider.ts", "../../database/database.ts"],
    ["shared/providers/zapi/provider.ts", "../../templates/definition.ts"],
    ["shared/providers/zapi/provider.ts", "../../http/create_app.ts"],
    ["shared/database/database.ts", "../providers/provider.ts"],
    ["shared/database/database.ts", "../http/create_app.ts"],
    ["shared/model/phone.ts", "../runtime/log.ts"],
    ["shared/outbox/delivery.ts", "../messages/accept.ts"],
  ];
  for (const [path, specifier] of offending) {
    for (const clause of ["import { a }", "import type { A }", "export *"]) {
      const file = parseSourceFile(path, `${clause} from "${specifier}";`);
      assertEquals(findForbiddenImports([file]).length, 1, `${path} ${specifier}`);
    }
  }
  const allowed: readonly (readonly [path: string, specifier: string])[] = [
    ["shared/http/client_token_guard.ts", "../database/database.ts"],
    ["shared/messages/claim.ts", "../providers/provider.ts"],
    ["shared/messages/claim.ts", "./accept.ts"],
    ["shared/providers/zapi/provider.ts", "../../model/media_url.ts"],
    ["functions/a/app.ts", "../../shared/http/create_app.ts"],
    ["supabase/local/start.ts", "../../functions/a/app.ts"],
  ];
  for (const [path, specifier] of allowed) {
    const file = parseSourceFile(path, `import { a } from "${specifier}";`);
    assertEquals(findForbiddenImports([file]), []);
  }
});

/** Modules for the document alone that stand behind an `index.ts` at run time. */
function findLoadedDocumentation(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files.filter(({ path }) => /^functions\/[^/]+\/index\.ts$/.test(path)).flatMap((index) =>
    collectDependencies(index.path, byPath)
      .filter(({ path }) => path.startsWith("shared/openapi/"))
      .map(({ path }) => `${index.path} loads ${path}`)
  );
}

Deno.test("a running function loads nothing that only the document needs", async () => {
  assertEquals(findLoadedDocumentation(await readSourceFiles("functions", "shared")), []);
});

Deno.test("a function that loads what only the document needs is found, however far away it is", () => {
  const files = [
    parseSourceFile("functions/a/index.ts", `import { createApp } from "./app.ts";`),
    parseSourceFile("functions/a/app.ts", `import { operations } from "./docs.ts";`),
    parseSourceFile(
      "functions/a/docs.ts",
      `import { demoPhone } from "../../shared/openapi/demo.ts";`,
    ),
    parseSourceFile("shared/openapi/demo.ts", ``),
  ];
  assertEquals(findLoadedDocumentation(files), [
    "functions/a/index.ts loads shared/openapi/demo.ts",
  ]);
});

Deno.test("no import leaves the repository", async () => {
  const files = await readSourceFiles("functions", "shared", "supabase", "tests");
  assertEquals(findImportsOutsideTheRepository(files), []);
});

Deno.test("an import that leaves the repository is found", () => {
  for (const specifier of ["../../../shared/phone.ts", "/srv/phone.ts", "file:///srv/phone.ts"]) {
    const file = parseSourceFile("shared/messages/claim.ts", `import { a } from "${specifier}";`);
    assertEquals(findImportsOutsideTheRepository([file]).length, 1, specifier);
  }
});

Deno.test("pure modules reach neither runtime, providers, database nor HTTP", async () => {
  assertEquals(findImpurities(pureModules, await readSourceFiles("shared")), []);
});

Deno.test("an impure module is found, however far away the impurity is", () => {
  const samples = [
    `import { b } from "./b.ts";`,
    `import { rpc } from "./database/rpc.ts";`,
    `import { createApp } from "./http/create_app.ts";`,
    `import { zapi } from "./providers/zapi.ts";`,
    `import { Hono } from "hono";`,
    `import { Buffer } from "node:buffer";`,
    `const a = Deno.inspect(1);`,
    `const a = await fetch("https://example.com");`,
  ];
  const files = [
    parseSourceFile("shared/b.ts", `export * from "./c.ts";`),
    parseSourceFile("shared/c.ts", `export const c = Deno.build;`),
    parseSourceFile("shared/database/rpc.ts", ``),
    parseSourceFile("shared/http/create_app.ts", ``),
    parseSourceFile("shared/providers/zapi.ts", ``),
  ];
  for (const text of samples) {
    const file = parseSourceFile("shared/a.ts", text);
    assertEquals(findImpurities(["shared/a.ts"], [file, ...files]).length, 1, text);
  }
  const pure = `import type { Receipt } from "./providers/zapi.ts"; // Deno.env\nconst a = "Deno";`;
  assertEquals(findImpurities(["shared/a.ts"], [parseSourceFile("shared/a.ts", pure)]), []);
  assertEquals(findImpurities(["shared/gone.ts"], files), ["shared/gone.ts does not exist"]);
});
