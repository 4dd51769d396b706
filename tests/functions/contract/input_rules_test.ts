/** What every body endpoint makes of null, of fractions, of unknown fields and of faults. */
import type * as z from "zod";
import { AppError, type Issue } from "../../../shared/model/errors.ts";
import { validate, validateBody } from "../../../shared/http/validate.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { assert, assertEquals, assertFalse } from "../../support/assert.ts";
import {
  authorize,
  listOperationRows,
  openPage,
  type OperationRow,
  startContractStack,
  toExampleRequest,
} from "./contract_stack.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { answerSession, createDemoRows } from "./demo_rows.ts";

type Members = Readonly<Record<string, unknown>>;

const rows = await listOperationRows();
const bodies = rows.flatMap(({ name, operation: { body, examples } }) =>
  body === undefined ? [] : examples.map((example) => ({
    name: `${name}, ${example.name}`,
    schema: body,
    request: example.request ?? {},
  }))
);
const unheard = { get: (): undefined => undefined, set: (): void => {} };

/** What an optional, nullable or defaulted schema is made of. */
function unwrap(schema: z.ZodType): z.ZodType {
  const def = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : unwrap(inner);
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly field: z.ZodType;
}

/** Every field that a request has room for, at any depth: in objects that it holds, and in items. */
function listPlaces(schema: z.ZodType, value: unknown, path: Place["path"] = []): Place[] {
  const inner = unwrap(schema);
  if (inner.def.type === "array" && Array.isArray(value)) {
    const element = (inner as z.ZodArray).element as z.ZodType;
    return value.flatMap((item, index) => listPlaces(element, item, [...path, index]));
  }
  if (inner.def.type !== "object" || typeof value !== "object" || value === null) return [];
  return Object.entries((inner as z.ZodObject).shape).flatMap(([name, field]) => [
    { path: [...path, name], field: field as z.ZodType },
    ...listPlaces(field as z.ZodType, (value as Members)[name], [...path, name]),
  ]);
}

/** The request with another value at a place; without the field where the value is undefined. */
function put(request: Members, path: Place["path"], value: unknown): Members {
  const copy = structuredClone(request);
  // deno-lint-ignore no-explicit-any -- a place is found by its path alone
  const holder = path.slice(0, -1).reduce((member: any, key) => member[key], copy);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

Deno.test("null in an optional field of any operation means that it is not given, but where null is a value", () => {
  let tried = 0;
  for (const { name, schema, request } of bodies) {
    for (const { path, field } of listPlaces(schema, request)) {
      if (!field.safeParse(undefined).success || field.safeParse(null).success) continue;
      const withNull = validateBody(unheard, schema, put(request, path, null));
      const without = validateBody(unheard, schema, put(request, path, undefined));
      assertEquals(withNull, without, `${name}: ${path.join(".")}`);
      tried += 1;
    }
  }
  assert(tried > 60, `only ${tried} fields were tried`);
});

Deno.test("a required text of nothing but marks that nobody sees is empty, in every operation", () => {
  let tried = 0;
  for (const { name, schema, request } of bodies) {
    for (const { path, field } of listPlaces(schema, request)) {
      const takes = (value: unknown): boolean => field.safeParse(value).success;
      if (takes(undefined) || takes("") || unwrap(field).def.type !== "string") continue;
      const refuse = (text: string): readonly Issue[] =>
        issuesOf(() => validateBody(unheard, schema, put(request, path, text)));
      assertEquals(refuse("\u200b\u2060"), refuse(""), `${name}: ${path.join(".")}`);
      tried += 1;
    }
  }
  assert(tried > 20, `only ${tried} fields were tried`);
});

Deno.test("every operation answers a request with null in all fields that it leaves out as it answers without them", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  provider.answer = (request) => answerSession(request.path) ?? acceptMessage(request);
  const token = await createDemoRows(admin, provider.baseUrl);
  let tried = 0;
  for (const row of rows.filter(({ operation }) => operation.body !== undefined)) {
    const [example] = row.operation.examples;
    const shape = row.operation.body?.shape ?? {};
    const nulls = Object.keys(shape).filter((field) => !(field in (example?.request ?? {})))
      .filter((field) => !shape[field]?.safeParse(null).success);
    const request = {
      ...Object.fromEntries(nulls.map((field) => [field, null])),
      ...example?.request,
    };
    const answer = await call(contract, row, request, token);
    assert(answer.status < 300, `${row.name}: ${JSON.stringify(answer.body)}`);
    assertEquals(answer.body.ignoredFields, undefined, row.name);
    tried += nulls.length;
  }
  assert(tried > 20, `only ${tried} fields were null`);
});

Deno.test("a whole number that arrives with a fraction is rounded up, in every operation", () => {
  const tried: string[] = [];
  const values: readonly (readonly [string, unknown, unknown])[] = [
    ["intervalSeconds", 10.5, 11],
    ["minutes", 0.5, 1],
    ["requestsPerMinute", 59.01, 60],
    ["sendWindow", { days: [0.5, 1.5] }, { days: [1, 2] }],
  ];
  for (const { name, schema, request } of bodies) {
    for (const [field, value, expected] of values) {
      if (!(field in schema.shape)) continue;
      const read = validateBody(unheard, schema, { ...request, [field]: value });
      assertEquals(read[field], expected, `${name}: ${field}`);
      tried.push(field);
    }
  }
  for (const [field] of values) assert(tried.includes(field), field);
  const { schema, request } = bodies.find(({ schema }) => "intervalSeconds" in schema.shape) ??
    { schema: undefined, request: {} };
  assert(schema !== undefined);
  const issues = issuesOf(() =>
    validateBody(unheard, schema, { ...request, intervalSeconds: 3_600.5 })
  );
  assertEquals(issues.map(({ path }) => path), ["intervalSeconds"]);
});

Deno.test("every operation with a body names the fields that it ignored, in a replay too, and only where there are any", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  provider.answer = (request) => answerSession(request.path) ?? acceptMessage(request);
  const token = await createDemoRows(admin, provider.baseUrl);
  for (const row of rows.filter(({ operation }) => operation.body !== undefined)) {
    const request = { ...row.operation.examples[0]?.request, colour: "red", "x.y": null };
    const key = row.operation.isIdempotent ? crypto.randomUUID() : undefined;
    const first = await call(contract, row, request, token, key);
    assert(first.status < 300, `${row.name}: ${JSON.stringify(first.body)}`);
    assertEquals(first.body.ignoredFields, ["colour", "x.y"], row.name);
    if (key === undefined) continue;
    const again = await call(contract, row, request, token, key);
    assertEquals([again.isReplay, again.body], [true, first.body], row.name);
  }
});

Deno.test("a field that another operation knows is named where it changes nothing, nested ones by their path", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  const token = await createDemoRows(admin, provider.baseUrl);
  const cases: readonly (readonly [string, Members, readonly string[]])[] = [
    ["sendMessage", { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() }, [
      "scheduledFor",
    ]],
    ["sendTemplateMessage", { portfolio: true, delayTyping: 60 }, ["portfolio", "delayTyping"]],
    ["createContact", { isBlocked: true }, ["isBlocked"]],
    ["createWorkspace", { workspaceId: crypto.randomUUID() }, ["workspaceId"]],
    ["sanitizePhoneNumber", { instanceId: "demo" }, ["instanceId"]],
    ["sendMessage", {
      messageType: "option_list",
      optionList: {
        title: "T",
        buttonLabel: "B",
        colour: 1,
        options: [{ title: "a" }, { title: "b", image: null }],
      },
    }, ["optionList.colour", "optionList.options.1.image"]],
    ["createInstance", { sendWindow: { begin: "08:00" } }, ["sendWindow.begin"]],
    ["createInstance", {
      businessInstanceId: "another",
      providerConfig: {
        gatewayInstanceId: "3DF1A2B4C6",
        token: "the-instance-token",
        webhookSecret: "a-secret-for-the-webhook-address",
        clientToken: null,
        apiKey: "x",
      },
    }, ["providerConfig.apiKey"]],
  ];
  for (const [operationId, members, ignored] of cases) {
    const row = rows.find(({ operation }) => operation.operationId === operationId);
    assert(row !== undefined, operationId);
    const request = { ...row.operation.examples[0]?.request, ...members };
    const answer = await call(contract, row, request, token);
    assert(answer.status < 300, `${operationId}: ${JSON.stringify(answer.body)}`);
    assertEquals(answer.body.ignoredFields, ignored, operationId);
  }
});

Deno.test("a refusal names the ignored fields as well: one may be the missing field misspelled", async () => {
  await using contract = await startContractStack();
  const token = await createDemoRows(contract.stack.admin, contract.stack.provider.baseUrl);
  const row = rows.find(({ operation }) => operation.operationId === "addNote") ??
    rows.find(({ operation }) => operation.body !== undefined && "note" in operation.body.shape);
  assert(row !== undefined);
  const { note: _, ...rest } = row.operation.examples[0]?.request ?? {};
  const { status, body } = await call(contract, row, { ...rest, notes: "x" }, token);
  assertEquals([status, body.error, body.ignoredFields], [400, "invalid_request", ["notes"]]);
});

/** Values that some field or other does not take. */
const wrongValues: readonly unknown[] = [
  ...[undefined, null, true, 5, -1, 0.25, 1e9, Number.NaN, "", " ", "x", "\u0000"],
  ...["x".repeat(70_000), "2026-02-30", "8:00", "ftp://x", [], {}, [null], [{}], [[]], ["x", "x"]],
  ...[Array(2_000).fill("x"), Array(200).fill(9), { "": 1 }, { ["k".repeat(300)]: 1 }],
  { a: { b: { c: { d: { e: { f: { g: { h: { i: { j: { k: 1 } } } } } } } } } } },
];

/** A library's own wording: what is shown to people must not depend on its version. */
const libraryWords =
  /\bInvalid (?:input|option|key|element|string|number|ISO|UUID|GUID|URL|email)|Too (?:big|small)|Unrecognized|\bexpected\b|\breceived \w|ECMA|zod/i;

Deno.test("a text in the place of a list is this one fault, in every operation", () => {
  let tried = 0;
  for (const { name, schema, request } of bodies) {
    for (const { path, field } of listPlaces(schema, request)) {
      if (unwrap(field).def.type !== "array") continue;
      const wrong = put(request, path, "x".repeat(2_000));
      const issues = issuesOf(() => validateBody(unheard, schema, wrong));
      const own = issues.filter((issue) => issue.path === path.join("."));
      assertEquals(own.map(({ message }) => message), ["must be a list"], `${name}: ${path}`);
      tried += 1;
    }
  }
  assert(tried > 30, `only ${tried} lists were tried`);
});

Deno.test("no library's words stand in issues, whatever is wrong with whichever field", () => {
  let told = 0;
  const hold = (name: string, issues: readonly Issue[]): void => {
    for (const { path, message } of issues) {
      assertFalse(libraryWords.test(message), `${name}: ${path}: ${message}`);
      assert(/^[a-z]/.test(message) || path === "addTags", `${name}: ${path}: ${message}`);
      told += 1;
    }
  };
  const configs = registry.providers.map(({ kind, config }) => ({
    name: kind,
    schema: config.schema as unknown as z.ZodObject,
    request: {},
  }));
  for (const { name, schema, request } of [...bodies, ...configs]) {
    hold(name, issuesOf(() => validateBody(unheard, schema, {})));
    for (const { path } of listPlaces(schema, request)) {
      for (const value of wrongValues) {
        hold(name, issuesOf(() => validateBody(unheard, schema, put(request, path, value))));
      }
    }
  }
  for (const { name, operation: { query, examples } } of rows) {
    if (query === undefined) continue;
    for (const field of Object.keys(query.shape)) {
      for (const value of ["", " ", "x", "0", "-1", "1.5", "2026-02-30", "9".repeat(600)]) {
        const request = { ...examples[0]?.request, [field]: value };
        hold(name, issuesOf(() => validate(query, request)));
      }
    }
  }
  assert(told > 2_000, `only ${told} issues were told`);
});

function issuesOf(read: () => unknown): readonly Issue[] {
  try {
    read();
    return [];
  } catch (error) {
    assert(error instanceof AppError, String(error));
    return error.extras.issues ?? [];
  }
}

async function call(
  contract: Awaited<ReturnType<typeof startContractStack>>,
  row: OperationRow,
  request: Members,
  token: string,
  key?: string,
  // deno-lint-ignore no-explicit-any -- the answer is what these tests assert
): Promise<{ status: number; isReplay: boolean; body: any }> {
  const headers = {
    ...authorize(row.operation, token),
    ...(key === undefined ? {} : { "Idempotency-Key": key }),
  };
  const example = { name: "tried", summary: "", request, response: {} };
  const { path, init } = toExampleRequest(row, await openPage(row, example), headers);
  const response = await contract.request(row.slug, path, init);
  return {
    status: response.status,
    isReplay: response.headers.get("idempotent-replayed") === "true",
    body: await response.json(),
  };
}
