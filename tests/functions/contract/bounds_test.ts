/** Lengths are judged before what is in a list or an object, and refusals tell a hundred issues at most. */

import type * as z from "zod";
import { readJsonBody } from "../../../shared/http/json_body.ts";
import { type RequestNotes, validateBody } from "../../../shared/http/validate.ts";
import { AppError, type Issue } from "../../../shared/model/errors.ts";
import { readTemplateDefinition } from "../../../shared/templates/definition.ts";
import { findIgnoredVariables, listVariableKeys } from "../../../shared/templates/variable_keys.ts";
import { fillTemplate } from "../../../shared/templates/variables.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { listOperationRows } from "./contract_stack.ts";

type Members = Readonly<Record<string, unknown>>;

const rows = await listOperationRows();
const bodies = rows.flatMap(({ name, operation: { body, examples } }) =>
  body === undefined ? [] : [{ name, schema: body, request: examples[0]?.request ?? {} }]
);
const unheard = { set: (): void => {} };

/** What an optional, nullable, defaulted or transformed schema is made of. */
function unwrap(schema: z.ZodType): z.ZodType {
  const def = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : unwrap(inner);
}

interface Place {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
}

/** The lists and free objects of a request, those within the items of its lists included. */
function* listPlaces(given: z.ZodType, path: readonly string[] = []): Generator<Place> {
  const schema = unwrap(given);
  if (schema.def.type === "array") {
    yield { path, schema };
    yield* listPlaces((schema as z.ZodArray).element as z.ZodType, [...path, "0"]);
  } else if (schema.def.type === "object") {
    for (const [name, field] of Object.entries((schema as z.ZodObject).shape)) {
      yield* listPlaces(field as z.ZodType, [...path, name]);
    }
  } else if (schema.def.type === "custom") {
    yield { path, schema };
  }
}

/** A request with a value at a path, whatever was there. */
function put(request: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (/^\d+$/.test(name)) return [put(Array.isArray(request) ? request[0] : {}, rest, value)];
  const holder = typeof request === "object" && request !== null ? request as Members : {};
  return { ...holder, [name]: put(holder[name], rest, value) };
}

/** Items, and how often one of them was looked into. */
function createWatchedItems(
  count: number,
): { readonly items: unknown[]; readonly looks: string[] } {
  const looks: string[] = [];
  const look = (how: string): undefined => void looks.push(how);
  const item = new Proxy({}, {
    get: (_, name) => look(`get ${String(name)}`),
    ownKeys: () => (look("ownKeys"), []),
    getPrototypeOf: () => (look("getPrototypeOf"), Object.prototype),
  });
  return { items: Array(count).fill(item), looks };
}

function issuesOf(schema: z.ZodObject, request: unknown): readonly Issue[] {
  try {
    validateBody(unheard, schema, request as Members);
    return [];
  } catch (error) {
    assert(error instanceof AppError, String(error));
    return error.extras.issues ?? [];
  }
}

Deno.test("no operation looks at an item of a list that is too long, and each says how long it may be", () => {
  const tried: string[] = [];
  for (const { name, schema, request } of bodies) {
    for (const place of listPlaces(schema)) {
      if (place.schema.def.type !== "array") continue;
      const { items, looks } = createWatchedItems(20_000);
      const issues = issuesOf(schema, put(request, place.path, items));
      const own = issues.filter(({ path }) => path === place.path.join("."));
      assertEquals(own.length, 1, `${name}: ${place.path.join(".")}: ${JSON.stringify(issues)}`);
      assert(/^must be at most \d+ items$/.test(own[0]?.message ?? ""), own[0]?.message);
      assertEquals(looks, [], `${name}: ${place.path.join(".")}`);
      tried.push(place.path.join("."));
    }
  }
  for (const path of ["optionList.options", "recipients", "addTags", "rates", "components"]) {
    assert(tried.includes(path), path);
  }
});

Deno.test("no item is looked at of a payment among variables that has too many", () => {
  const read = readTemplateDefinition("NAMED", [
    { type: "BODY", text: "Pedido 812" },
    { type: "BUTTONS", buttons: [{ type: "ORDER_DETAILS", text: "Copy Pix code" }] },
  ]);
  assert(read.ok, JSON.stringify(read));
  const { items, looks } = createWatchedItems(87_000);
  const payment = { reference: "ped-812", amount: "1", link: "https://pay.example.com/1", items };
  const { issues } = fillTemplate(read.definition, { payment }, { name: null, phone: null });
  assertEquals(issues, [{ path: "variables.payment.items", message: "must be at most 100 items" }]);
  assertEquals(findIgnoredVariables({ payment }, listVariableKeys(read.definition)), []);
  assertEquals(looks, []);
});

Deno.test("no operation looks at a value of a free object with too many members", () => {
  let tried = 0;
  for (const { name, schema, request } of bodies) {
    for (const place of listPlaces(schema)) {
      if (place.schema.def.type !== "custom") continue;
      const { items, looks } = createWatchedItems(20_000);
      const crowd = Object.fromEntries(items.map((item, index) => [`k${index}`, item]));
      const issues = issuesOf(schema, put(request, place.path, crowd));
      const own = issues.filter(({ path }) => path === place.path.join("."));
      assertEquals(own.length, 1, `${name}: ${place.path.join(".")}: ${JSON.stringify(issues)}`);
      assert(/^must be at most \d+ fields$/.test(own[0]?.message ?? ""), own[0]?.message);
      assertEquals(looks, [], `${name}: ${place.path.join(".")}`);
      tried += 1;
    }
  }
  assert(tried > 10, `only ${tried} objects were tried`);
});

Deno.test("a long list with a fault in each item is read up to the hundredth fault", () => {
  const body = bodies.find(({ schema }) => "rates" in schema.shape);
  assert(body !== undefined);
  let looks = 0;
  const rate = {
    get market(): string {
      looks += 1;
      return "";
    },
  };
  const issues = issuesOf(body.schema, { ...body.request, rates: Array(5_000).fill(rate) });
  assertEquals(issues.length, 100);
  // Once for each item that is prepared, and once for each that is checked.
  assert(looks <= 5_000 + 100, `${looks} looks`);
});

Deno.test("no refusal tells more than a hundred issues, and no answer names more ignored fields", () => {
  const issues = Array.from(
    { length: 5_000 },
    (_, place) => ({ path: `a.${place}`, message: "b" }),
  );
  assertEquals(new AppError("invalid_request", { issues }).extras.issues?.length, 100);
  const noted: unknown[] = [];
  const [body] = bodies.filter(({ schema }) => "note" in schema.shape);
  assert(body !== undefined);
  const unknown = Object.fromEntries(
    Array.from({ length: 50_000 }, (_, place) => [`x${place}`, 1]),
  );
  const notes: RequestNotes = {
    set: (_: string, names: unknown) => Array.isArray(names) && noted.push(...names),
  };
  validateBody(notes, body.schema, { ...body.request, ...unknown });
  assertEquals(noted.length, 100);
});

Deno.test("a body of very many values is refused before it is parsed", async () => {
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = (...args) => {
    parsed += 1;
    return parse(...args);
  };
  try {
    for (const part of ["[]", "{}", "1", '"a,b"']) {
      const text = `{"a":[${Array(300_000).fill(part).join(",")}]}`;
      const error = await readJsonBody(contextOf(text), 4 * 1024 * 1024).catch((error) => error);
      assertEquals(error.extras?.issues, [{
        path: "",
        message: "must not hold more than 250000 values",
      }]);
    }
    assertEquals(parsed, 0);
    const text = JSON.stringify({ a: Array(100_000).fill('"[{,\\') });
    assertEquals(await readJsonBody(contextOf(text), 4 * 1024 * 1024), parse(text));
  } finally {
    JSON.parse = parse;
  }
});

function contextOf(text: string): Parameters<typeof readJsonBody>[0] {
  const raw = new Request("http://127.0.0.1/", {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": `${text.length}` },
    body: text,
  });
  const header = (name: string): string | undefined => raw.headers.get(name) ?? undefined;
  return { req: { raw, header }, get: () => undefined, set: () => {} } as unknown as Parameters<
    typeof readJsonBody
  >[0];
}
