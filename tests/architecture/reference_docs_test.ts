import { listErrors } from "../../shared/model/errors.ts";
import { writeErrorPage } from "../../supabase/tools/openapi/error_page.ts";
import { writeWebhookTable } from "../../supabase/tools/openapi/webhook_table.ts";
import { assertEquals, assertThrows } from "../support/assert.ts";
import { type MarkdownPage, readTables } from "./markdown.ts";
import { readText, readTextFiles } from "./repository.ts";
import { resolveRelative } from "./source_file.ts";

async function readPage(path: string): Promise<MarkdownPage> {
  return { path, text: await readText(path) };
}

/** Finds endpoint rows that are empty, duplicated or linked to another function's file. */
function findEndpointFaults(page: MarkdownPage, paths: ReadonlySet<string>): string[] {
  const rows = readTables(page, ["Method", "Path", "What it does", "Contract"]);
  const operations = rows.map(([method, path]) => `${method} ${path?.replaceAll("`", "")}`);
  return rows.flatMap(([_method, _path, purpose, contract], index) => {
    const operation = operations[index] ?? "";
    const slug = /\/functions\/v1\/([\w-]+)/.exec(operation)?.[1];
    const link = /\]\(([\w./-]+)\)/.exec(contract ?? "")?.[1] ?? "";
    const target = resolveRelative(page.path, `./${link}`) ?? "";
    const isOwn = target.startsWith(`functions/${slug}/`) && paths.has(target);
    return [
      ...(purpose === "" ? [`${operation} says nothing`] : []),
      ...(isOwn ? [] : [`${operation} has no contract`]),
      ...(operations.indexOf(operation) === index ? [] : [`${operation} stands there twice`]),
    ];
  });
}

interface KnownError {
  readonly code: string;
  readonly status: number;
}

/** Compares the page's table of error codes with the code's. */
function findErrorFaults(page: MarkdownPage, errors: readonly KnownError[]): string[] {
  const listed = readTables(page, ["Status", "`error`"]).flatMap(([status, codes]) =>
    Array.from(codes?.matchAll(/`([^`]+)`/g) ?? [], ([, code]) => `${status} ${code}`)
  );
  const wanted = errors.map(({ status, code }) => `${status} ${code}`);
  return [
    ...listed.filter((entry) => !wanted.includes(entry)).map((entry) => `${entry} is no error`),
    ...wanted.filter((entry) => !listed.includes(entry)).map((entry) => `${entry} is not listed`),
  ];
}

/** The variables that a source reads: keys of the schema, and names passed to a reader. */
function readVariables(source: string): string[] {
  const names = source.matchAll(/^\s*([A-Z][A-Z0-9_]+):|"([A-Z][A-Z0-9_]+)"/gm);
  return Array.from(names, ([, key, literal]) => key ?? literal ?? "");
}

function findVariableFaults(
  variables: ReadonlySet<string>,
  example: string,
  page: MarkdownPage,
): string[] {
  const explained = Array.from(
    example.matchAll(/^# [^\n]*[.:]\n(?:# )?([A-Z][A-Z0-9_]+)=/gm),
    ([, name]) => name ?? "",
  );
  const rows = readTables(page, ["Variable", "Used by", "Meaning"])
    .map(([name]) => name?.replaceAll("`", "") ?? "");
  const compare = (place: string, named: readonly string[]): string[] => [
    ...[...variables].filter((name) => !named.includes(name)).map((name) => `${place}: no ${name}`),
    ...named.filter((name) => !variables.has(name)).map((name) => `${place}: nobody reads ${name}`),
  ];
  return [...compare(".env.example", explained), ...compare(page.path, rows)];
}

Deno.test("every endpoint of docs/api.md says what it does and links to its contract", async () => {
  const page = await readPage("docs/api.md");
  const paths = new Set((await readTextFiles("functions")).map(({ path }) => path));
  assertEquals(findEndpointFaults(page, paths), []);
});

Deno.test("docs/errors.md lists every error code under its status", async () => {
  assertEquals(findErrorFaults(await readPage("docs/errors.md"), listErrors()), []);
});

Deno.test("docs/errors.md is what `deno task openapi` writes", async () => {
  const text = await readText("docs/errors.md");
  assertEquals(writeErrorPage(text), text, "run `deno task openapi`");
});

Deno.test("docs/api.md has the providers' webhooks as `deno task openapi` writes them", async () => {
  const text = await readText("docs/api.md");
  assertEquals(writeWebhookTable(text), text, "run `deno task openapi`");
  assertThrows(() => writeWebhookTable("# Endpoints\n"), Error, "no table");
});

Deno.test("every variable that the code reads is explained, and no other", async () => {
  const sources = await readTextFiles(
    "shared/runtime/config.ts",
    "supabase/local/settings.ts",
    "supabase/serve/settings.ts",
    "supabase/deploy/deploy_target.ts",
    "supabase/admin/admin.ts",
    "functions",
  );
  const texts = sources.filter(({ path }) =>
    /\/(?:config|settings|index|deploy_target|admin)\.ts$/.test(path)
  )
    .map(({ text }) => text);
  const variables = new Set(texts.flatMap(readVariables));
  const example = await readText(".env.example");
  const page = await readPage("docs/local-stack.md");
  assertEquals(findVariableFaults(variables, example, page), []);
});

function page(...lines: readonly string[]): MarkdownPage {
  return { path: "docs/page.md", text: lines.join("\n") };
}

Deno.test("an endpoint that says nothing, stands there twice or has no contract is found", () => {
  const head = ["| Method | Path | What it does | Contract |", "|---|---|---|---|"];
  const row = "| GET | `/functions/v1/a/b` | Reads b | [contract.ts](../functions/a/contract.ts) |";
  const paths = new Set(["functions/a/contract.ts", "functions/b/contract.ts"]);
  const find = (...rows: readonly string[]): number =>
    findEndpointFaults(page(...head, ...rows), paths).length;
  assertEquals(find(row, row.replace("GET", "POST")), 0);
  assertEquals(find(row, row), 1);
  assertEquals(find(row.replace("Reads b", "")), 1);
  assertEquals(find(row.replace("functions/a/contract", "functions/b/contract")), 1);
  assertEquals(find(row.replace("contract.ts)", "gone.ts)")), 1);
});

Deno.test("an error code that is missing, unknown or under another status is found", () => {
  const errors = [{ code: "not_found", status: 404 }, { code: "Instance not found", status: 404 }];
  const find = (row: string): number =>
    findErrorFaults(page("| Status | `error` |", "|---|---|", row), errors).length;
  assertEquals(find("| 404 | `not_found`, `Instance not found` |"), 0);
  assertEquals(find("| 404 | `not_found` |"), 1);
  assertEquals(find("| 404 | `not_found`, `Instance not found`, `gone` |"), 1);
  assertEquals(find("| 400 | `not_found`, `Instance not found` |"), 4);
});

Deno.test("a variable that is not explained, or that nobody reads, is found", () => {
  const readme = page(
    "| Variable | Used by | Meaning |",
    "|---|---|---|",
    "| `PORT` | all | Port |",
  );
  const variables = new Set(readVariables(`read("PORT", "1")`));
  assertEquals(findVariableFaults(variables, "# Where it listens.\n# PORT=1\n", readme), []);
  assertEquals(findVariableFaults(variables, "# PORT=1\n", readme).length, 1);
  assertEquals(findVariableFaults(new Set(), "# Where it listens.\n# PORT=1\n", readme).length, 2);
  assertEquals(readVariables(`  SUPABASE_URL: z.url(),\n  Other: 1`), ["SUPABASE_URL"]);
});
