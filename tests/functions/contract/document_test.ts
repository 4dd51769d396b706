import Ajv2020 from "ajv/dist/2020.js";
import { listErrors } from "../../../shared/model/errors.ts";
import { composeDocument, toPathTemplate } from "../../../supabase/tools/openapi/document.ts";
import { readOperations } from "../../../supabase/tools/openapi/read_operations.ts";
import { documentFile, writeDocument } from "../../../supabase/tools/write_openapi.ts";
import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { listDistantDates } from "../../support/example_instants.ts";
import { startContractStack } from "./contract_stack.ts";
import { createEveryApp } from "./every_app.ts";
import { registeredDocs } from "../../../shared/providers/registered_docs.ts";

const methods = ["get", "post", "put", "patch", "delete"] as const;
const repository = new URL("../../../", import.meta.url);

// deno-lint-ignore no-explicit-any -- the document's shape is what these tests assert
type Json = any;

async function listDescribed(): Promise<string[]> {
  const rows = [...await readOperations()].flatMap(([slug, operations]) =>
    operations.map(({ method, path }) => `${method} ${toPathTemplate(slug, path)}`)
  );
  return rows.sort();
}

async function compose(): Promise<Json> {
  return composeDocument(await readOperations());
}

Deno.test("the committed OpenAPI document is what the contracts say", async () => {
  const committed = await Deno.readTextFile(documentFile);
  assert(committed === await writeDocument(), "run `deno task openapi` and commit what it writes");
});

Deno.test("the document, the code and docs/api.md list the same endpoints", async () => {
  await using contract = await startContractStack();
  const inCode: string[] = [];
  for (const [slug, app] of await createEveryApp(contract.stack.services)) {
    for (const { method, path } of app.routes) {
      if (method === "ALL" || method === "OPTIONS") continue;
      inCode.push(`${method} ${toPathTemplate(slug, path.slice(slug.length + 1) || "/")}`);
    }
  }
  const document = await compose();
  const inDocument = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`)
  );
  const described = await listDescribed();
  assertEquals(inDocument.sort(), described);
  assertEquals([...new Set(inCode)].sort(), described);

  const page = await Deno.readTextFile(new URL("docs/api.md", repository));
  assertEquals(readEndpointTable(page), described);
});

/** The rows `| METHOD | path |` of the page, parameters as `:id` or `{id}`; several methods may share one. */
function readEndpointTable(page: string): string[] {
  const rows = page.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.replaceAll("`", "").trim());
    const path = (cells[2] ?? "").replaceAll(/:(\w+)/g, "{$1}");
    if (!path.startsWith("/functions/v1/")) return [];
    const found = cells[1]?.match(/\b(?:GET|POST|PUT|PATCH|DELETE)\b/g) ?? [];
    return found.map((method) => `${method} ${path}`);
  });
  return rows.sort();
}

Deno.test("the endpoints of docs/api.md are read from its tables", () => {
  const page = [
    "| Method | Path | What |",
    "|---|---|---|",
    "| `POST` | `/functions/v1/send-message` | sends |",
    "| GET, DELETE | /functions/v1/messages-api/messages/:id | reads, cancels |",
    "POST /functions/v1/elsewhere",
  ].join("\n");
  assertEquals(readEndpointTable(page), [
    "DELETE /functions/v1/messages-api/messages/{id}",
    "GET /functions/v1/messages-api/messages/{id}",
    "POST /functions/v1/send-message",
  ]);
});

Deno.test("every function has its folder, its app and its operations", async () => {
  const folders: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL("functions/", repository))) {
    if (isDirectory) folders.push(name);
  }
  await using contract = await startContractStack();
  const apps = await createEveryApp(contract.stack.services);
  assertEquals([...apps.keys()].sort(), folders.sort());
  assertEquals([...(await readOperations()).keys()], folders);
});

Deno.test("every error stands in the document with its status", async () => {
  const document = await compose();
  const found = new Set<string>();
  for (const item of Object.values<Json>(document.paths)) {
    for (const method of methods.filter((name) => name in item)) {
      for (const [status, reference] of Object.entries<Json>(item[method].responses)) {
        const response = resolve(document, reference);
        const codes = response.content?.["application/json"]?.schema?.properties?.error?.enum ?? [];
        for (const code of codes) found.add(`${status} ${code}`);
      }
    }
  }
  for (const { code, status } of listErrors()) {
    assert(document.info.description.includes(`| ${status} | \`${code}\` |`), code);
    if (answeredByNoOperation.has(code)) continue;
    assert(found.has(`${status} ${code}`), `no operation is described as answering ${code}`);
  }
  const known = new Set(listErrors().map(({ code, status }) => `${status} ${code}`));
  assertEquals([...found].filter((pair) => !known.has(pair)), []);
});

/** Answered for another method than the path's own. */
const answeredByNoOperation: ReadonlySet<string> = new Set(["method_not_allowed"]);

Deno.test("every example of the document fits the schema that it stands under", async () => {
  const document = await compose();
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
  ajv.addSchema(document, "openapi.json");
  const faults: string[] = [];
  let checked = 0;
  const check = (pointer: string, value: unknown): void => {
    const validate = ajv.getSchema(`openapi.json#${pointer}`);
    if (validate === undefined) throw new Error(`no schema at ${pointer}`);
    checked += 1;
    if (!validate(value)) faults.push(`${pointer}: ${ajv.errorsText(validate.errors)}`);
  };
  for (const { pointer, content } of listContents(document)) {
    for (const example of Object.values<Json>(content.examples ?? {})) {
      check(`${pointer}/schema`, resolve(document, example).value);
    }
  }
  assertEquals(faults, []);
  assert(checked > 150, `only ${checked} examples were found`);
});

Deno.test("every date of the examples is of the demo day's year, so that tests can move it to the present", async () => {
  assertEquals(listDistantDates(await compose()), []);
});

/** Every media type with a schema, requests, answers and refusals, with its place. */
function* listContents(document: Json): Generator<{ pointer: string; content: Json }> {
  const holders: [string, Json][] = Object.entries<Json>(document.components.responses)
    .map(([name, response]) => [`/components/responses/${escapePointer(name)}`, response]);
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    for (const method of methods.filter((name) => name in item)) {
      const pointer = `/paths/${escapePointer(path)}/${method}`;
      const { requestBody, responses } = item[method];
      if (requestBody !== undefined) holders.push([`${pointer}/requestBody`, requestBody]);
      for (const [status, response] of Object.entries<Json>(responses)) {
        if (!("$ref" in response)) holders.push([`${pointer}/responses/${status}`, response]);
      }
    }
  }
  for (const [pointer, { content }] of holders) {
    for (const [type, mediaType] of Object.entries<Json>(content ?? {})) {
      yield { pointer: `${pointer}/content/${escapePointer(type)}`, content: mediaType };
    }
  }
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function resolve(document: Json, value: Json): Json {
  if (typeof value?.["$ref"] !== "string") return value;
  return value["$ref"].slice(2).split("/").reduce((node: Json, key: string) => node[key], document);
}

Deno.test("operation ids are unique, and every operation of POST but the named ones takes a key", async () => {
  const rows = [...await readOperations()].flatMap(([, operations]) => operations);
  const ids = rows.map(({ operationId }) => operationId);
  assertEquals(ids.filter((id, index) => ids.indexOf(id) !== index), []);
  const keyless = rows.filter(({ method, isIdempotent }) => method === "POST" && !isIdempotent)
    .map(({ operationId }) => operationId);
  assertEquals(keyless.sort(), [
    // They change nothing, never store their answer, or do once what they are asked.
    "dispatchQueue",
    "dryRunBatch",
    "exchangeMcpMessage",
    "getCodeOfLink",
    "getConnectionCode",
    "getConnectionQr",
    "getQrOfLink",
    "openConnectionLink",
    "readConnectionOfLink",
    ...Object.values(registeredDocs).map((docs) => `receive${docs.operationName}Events`).sort(),
    "sanitizePhoneNumber",
    "sendTestOfLink",
    "submitTemplate",
    "validateTemplate",
  ]);
});

Deno.test("every property of every schema says what it means", async () => {
  const document = await compose();
  const silent: string[] = [];
  const visit = (schema: Json, path: string): void => {
    for (const [name, property] of Object.entries<Json>(schema?.properties ?? {})) {
      const isNarrowed = Object.keys(property).join() === "enum";
      if (property.description === undefined && !isNarrowed) silent.push(`${path}.${name}`);
      visit(property, `${path}.${name}`);
    }
    if (schema?.items !== undefined) visit(schema.items, path);
    for (const part of schema?.allOf ?? []) visit(part, path);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name);
  assertEquals(silent, []);
});

Deno.test("how long a tag's name may be stands in the document wherever tags are named", async () => {
  const document = await compose();
  const found: string[] = [];
  for (const schema of Object.values<Json>(document.components.schemas)) {
    for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
      if (!["tags", "addTags", "removeTags"].includes(name)) continue;
      const { minLength, maxLength } = property.items;
      assertEquals([minLength, maxLength], [1, 50], name);
      found.push(name);
    }
  }
  assertEquals([...new Set(found)].sort(), ["addTags", "removeTags", "tags"]);
  assert(found.filter((name) => name === "tags").length > 2, "of requests and of answers");
});

Deno.test("details.message and lastError.message are said to be the provider's words, and sentBy of process-ai-agent what it does", async () => {
  const { schemas } = (await compose()).components;
  const failure = schemas.SendMessageFailure.allOf[1].properties;
  const words = [
    failure.details.properties.message,
    schemas.SendTemplateMessageFailure.allOf[1].properties.details.properties.message,
    schemas.MessageRecord.properties.lastError.properties.message,
  ];
  for (const { description } of words) assertMatch(description, /provider's own words/);
  assertEquals(failure.mode, undefined, "a failed send has no mode");
  const { sentBy } = schemas.ProcessAiAgentRequest.properties;
  assertMatch(sentBy.description, /never pauses/);
});

Deno.test("the document says of the dispatcher's schedule what the migrations schedule", async () => {
  const sql = await Deno.readTextFile(
    new URL("supabase/schemas/schedule/internal/schedule_dispatcher.sql", repository),
  );
  const [, every, lasting] =
    /'(\d+) seconds', 'select messaging.call_dispatcher\((\d+)\)'/.exec(sql) ??
      [];
  const document = await compose();
  const { description } = document.paths["/functions/v1/dispatch-queue"].post;
  assert(description.includes(`every ${every} seconds, for ${lasting} seconds`), description);
  assertEquals(JSON.stringify(document).match(/once a minute/g), null);
});

Deno.test("messages name fields as the request does, never a column", () => {
  for (const { message } of listErrors()) {
    assertFalse(/\b[a-z]+_(?:status|template_id|id)\b/.test(message));
  }
});
