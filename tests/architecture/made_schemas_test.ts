import { assertEquals } from "../support/assert.ts";
import { findMadeSchemas } from "./made_schemas.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

Deno.test("every schema is made once, while its module loads", async () => {
  const files = await readTextFiles("functions", "shared", "packages");
  const sources = files.filter(({ path }) => path.endsWith(".ts") && !path.includes("/tests/"));
  assertEquals(findMadeSchemas(sources), []);
});

const zod = 'import * as z from "zod";\n';

function find(...texts: readonly string[]): string[] {
  return findMadeSchemas(texts.map((text, index): TextFile => ({ path: `a${index}.ts`, text })));
}

Deno.test("a schema that a function makes on each call is found, in whatever form it is written", () => {
  for (
    const text of [
      "export function check(a: unknown) { return z.string().parse(a); }",
      "export const check = (a: unknown) => z.iso.date().parse(a);",
      "const text = z.string();\nexport function check(a: unknown) { return text.optional().parse(a); }",
      "export class A { check(a: unknown) { return z.object({}).parse(a); } }",
      "const make = () => z.string();\nexport function check(a: unknown) { return make().parse(a); }",
      "const make = () => z.string();\nexport const table = [{ handle: make }];",
      "export const table = { check: (a: unknown) => z.string().parse(a) };",
      "export const a = z.string().refine((a) => z.email().safeParse(a).success);",
    ]
  ) assertEquals(find(zod + text).length > 0, true, text);
});

Deno.test("a schema that a module makes while it loads passes, by functions and callbacks too", () => {
  for (
    const text of [
      "export const a = z.object({ b: z.string().optional() });",
      "const make = (most: number) => z.string().max(most);\nexport const a = make(1);",
      "export const a = [1, 2].map((most) => z.string().max(most));",
      "function one() { return z.string(); }\nfunction two() { return one(); }\nexport const a = two();",
      "let kept: z.ZodString | undefined;\nexport function get() { return kept ??= z.string(); }",
    ]
  ) assertEquals(find(zod + text), [], text);
  const factory = `${zod}export function text() { return z.string(); }`;
  assertEquals(find(factory, 'import { text } from "./a0.ts";\nexport const a = text();'), []);
  const calling =
    'import { text } from "./a0.ts";\nexport function check(a: unknown) { return text().parse(a); }';
  assertEquals(find(factory, calling), ["a0.ts: z.string()"]);
});
