import { metadataSchema } from "../../../shared/model/metadata.ts";
import { assertEquals } from "../../support/assert.ts";

function listIssues(metadata: unknown): string[] {
  const { error } = metadataSchema.safeParse(metadata);
  return error?.issues.map(({ path, message }) => [...path, message].join(": ")) ?? [];
}

Deno.test("every fault of metadata is told by its key", () => {
  assertEquals(listIssues({ a: 1, b: "v", ["k".repeat(41)]: "v", "": "v", c: "v".repeat(201) }), [
    "a: must be text",
    `${"k".repeat(41)}: must have a name of at most 40 characters`,
    ": must have a name",
    "c: must be at most 200 characters",
  ]);
  assertEquals(listIssues([]), ["must be an object"]);
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [index, 5]));
  assertEquals(listIssues(many), ["must be at most 16 fields"]);
});

Deno.test("metadata keeps every key, also one that objects of JavaScript have a use for", () => {
  const text = '{"__proto__":"a","constructor":"b"}';
  assertEquals(JSON.stringify(metadataSchema.parse(JSON.parse(text))), text);
});
