import { takeAsGiven } from "../../../supabase/tools/openapi/given_members.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import openapi from "../../../functions/api-docs/openapi.json" with { type: "json" };

Deno.test("what may be left out of a request may be null or blank, at any depth, and what is required may not", () => {
  const taken = takeAsGiven({
    type: "object",
    required: ["a"],
    properties: {
      a: { type: "string", minLength: 1, pattern: "\\S" },
      b: { type: "string", minLength: 1, maxLength: 9 },
      i: { type: "string", minLength: 1, maxLength: 9, pattern: "\\S" },
      j: { type: "string", pattern: "^[A-Z]+$" },
      c: { type: "string", enum: ["x"] },
      d: { const: "y", type: "string" },
      e: { anyOf: [{ type: "number" }, { type: "string" }] },
      f: { type: ["string", "null"] },
      g: { type: "array", items: { type: "object", properties: { h: { type: "boolean" } } } },
    },
  });
  assertEquals(taken["properties"], {
    a: { type: "string", minLength: 1, pattern: "\\S" },
    b: { type: ["string", "null"], maxLength: 9 },
    i: { type: ["string", "null"], maxLength: 9 },
    j: { type: ["string", "null"], pattern: "^\\s*$|^[A-Z]+$" },
    c: { type: ["string", "null"], enum: ["x", null] },
    d: { type: ["string", "null"], enum: ["y", null] },
    e: { anyOf: [{ type: "number" }, { type: "string" }, { type: "null" }] },
    f: { type: ["string", "null"] },
    g: {
      type: ["array", "null"],
      items: { type: "object", properties: { h: { type: ["boolean", "null"] } } },
    },
  });
});

Deno.test("a request that names its contact in three ways requires one of them in the document, in each kind of message", () => {
  const requests = Object.entries<Readonly<Record<string, unknown>>>(openapi.components.schemas)
    .filter(([, { properties }]) => properties !== undefined)
    .filter(([name, { properties, required }]) => {
      const names = Object.keys(properties as object);
      const ofContact = ["phone", "contactId", "userId"];
      return /Request/.test(name) && ofContact.every((field) => names.includes(field)) &&
        !ofContact.some((field) => (required as string[] | undefined)?.includes(field));
    });
  assert(requests.length > 20, `${requests.length}`);
  for (const [name, schema] of requests) {
    assertEquals(schema["allOf"], [{
      anyOf: [{ required: ["phone"] }, { required: ["contactId"] }, { required: ["userId"] }],
    }], name);
  }
});
