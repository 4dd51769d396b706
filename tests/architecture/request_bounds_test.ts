/** Whatever a caller can make long has a bound in the API's document: requests' lists, objects and texts. */

import { assertEquals } from "../support/assert.ts";
import { readText } from "./repository.ts";

type Json = Readonly<Record<string, unknown>>;

/** Formats whose texts have one length, or two. */
const shortFormats: ReadonlySet<unknown> = new Set(["uuid", "date", "binary"]);

/** What of a schema of a request has no bound, each by its path. */
function listUnbounded(schema: Json, schemas: Json, path: string, seen: Set<unknown>): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const within = (value: unknown, part: string): string[] =>
    typeof value === "object" && value !== null
      ? listUnbounded(value as Json, schemas, `${path}${part}`, seen)
      : [];
  const { $ref: reference, type, properties, items, additionalProperties } = schema;
  const types = [type].flat();
  const name = String(reference ?? "").split("/").at(-1) ?? "";
  const isFixed = schema["enum"] !== undefined || schema["const"] !== undefined ||
    shortFormats.has(schema["format"]);
  return [
    ...(types.includes("string") && !isFixed && schema["maxLength"] === undefined ? [path] : []),
    ...(types.includes("array") && schema["maxItems"] === undefined ? [path] : []),
    ...(additionalProperties !== undefined && schema["maxProperties"] === undefined ? [path] : []),
    ...within(schemas[name], ""),
    ...Object.entries(properties as Json ?? {}).flatMap(([key, one]) => within(one, `.${key}`)),
    ...within(items, "[]"),
    ...within(additionalProperties, ".*"),
    ...within(schema["propertyNames"], ".keys"),
    ...(["anyOf", "oneOf", "allOf"] as const).flatMap((join) =>
      ((schema[join] ?? []) as unknown[]).flatMap((one, place) => within(one, `<${place}>`))
    ),
  ];
}

/** What has no bound in the parameters and bodies of a document. */
function findUnbounded(document: Json): string[] {
  const { schemas, parameters: shared } = document["components"] as Record<string, Json>;
  const operations = Object.entries(document["paths"] as Record<string, Record<string, Json>>)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation }))
    );
  return operations.flatMap(({ name, operation }) => {
    const parameters = (operation["parameters"] ?? []) as Json[];
    const content = (operation["requestBody"] as Json | undefined)?.["content"] ?? {};
    const given = [
      ...parameters.map((parameter) =>
        shared?.[String(parameter["$ref"] ?? "").split("/").at(-1) ?? ""] as Json ?? parameter
      ),
      ...Object.values(content) as Json[],
    ];
    return given.flatMap((part) =>
      listUnbounded(
        part["schema"] as Json,
        schemas ?? {},
        `${name} ${part["name"] ?? ""}`,
        new Set(),
      )
    );
  });
}

Deno.test("every list, object and text of every request has a bound", async () => {
  const document = JSON.parse(await readText("functions/api-docs/openapi.json"));
  assertEquals(findUnbounded(document), []);
});

Deno.test("a list, an object and a text without a bound are found, wherever they stand", () => {
  const bounded = { type: "string", maxLength: 9 };
  const document = {
    components: {
      parameters: { Key: { name: "Key", in: "header", schema: { type: "string" } } },
      schemas: {
        Sent: {
          type: "object",
          properties: {
            list: { type: "array", items: { type: ["string", "null"] }, maxItems: 1 },
            many: { type: "array", items: bounded },
            free: { type: "object", additionalProperties: {} },
            either: { anyOf: [bounded, { type: "string", pattern: "^a*$" }] },
            id: { type: "string", format: "uuid" },
            one: { type: "string", enum: ["a"] },
            other: { $ref: "#/components/schemas/Other" },
          },
        },
        Other: { type: "object", properties: { text: { type: "string" }, short: bounded } },
      },
    },
    paths: {
      "/a": {
        post: {
          parameters: [{ $ref: "#/components/parameters/Key" }, {
            name: "q",
            in: "query",
            schema: { type: "string" },
          }],
          requestBody: {
            content: { "application/json": { schema: { $ref: "#/components/schemas/Sent" } } },
          },
        },
      },
    },
  };
  assertEquals(findUnbounded(document), [
    ...["post /a Key", "post /a q", "post /a .list[]", "post /a .many", "post /a .free"],
    ...["post /a .either<1>", "post /a .other.text"],
  ]);
});
