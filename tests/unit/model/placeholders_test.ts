import fc from "fast-check";
import { fillText, listPlaceholders } from "../../../shared/model/placeholders.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("placeholders are listed once, in the order in which they appear", () => {
  assertEquals(listPlaceholders("{{2}} e {{1}} e {{2}} e {{ nome }} e {{ação}}"), [
    "2",
    "1",
    "nome",
    "ação",
  ]);
});

Deno.test("braces without a name are text", () => {
  for (const text of ["{1}", "{{}}", "{{ }}", "{{a b}}", "{{a-b}}", '{{"a": 1}}', "{ {1} }"]) {
    assertEquals(listPlaceholders(text), [], text);
    assertEquals(fillText(text, new Map([["1", "x"], ["a", "x"]])), text);
  }
});

Deno.test("placeholders inside a value are not filled again", () => {
  const values = new Map([["1", "{{2}}"], ["2", "{{nome}} $& $1"], ["nome", "{{1}}"]]);
  assertEquals(fillText("{{1}}|{{2}}|{{nome}}|{{1}}", values), "{{2}}|{{nome}} $& $1|{{1}}|{{2}}");
});

Deno.test("a placeholder without a value stays as it stands", () => {
  assertEquals(fillText("{{1}} {{ toString }}", new Map([["1", "a"]])), "a {{ toString }}");
});

const name = fc.stringMatching(/^[a-z0-9_]{1,8}$/);
const piece = fc.oneof(
  fc.record({ literal: fc.string({ maxLength: 20 }).map((text) => text.replace(/[{}]/g, "")) }),
  fc.record({ name }),
);

Deno.test("filling replaces every placeholder by its value, and nothing else", () => {
  const hostile = fc.constantFrom("{{1}}", "{{nome}}", "$&", "{{", "}}", "\\{{1}}");
  const value = fc.oneof(fc.string(), hostile);
  fc.assert(
    fc.property(fc.array(piece), fc.dictionary(name, value), value, (pieces, some, rest) => {
      const valueOf = (key: string): string => Object.hasOwn(some, key) ? some[key] ?? "" : rest;
      const wording = pieces.map((p) => "literal" in p ? p.literal : `{{${p.name}}}`).join("");
      const names = listPlaceholders(wording);
      assertEquals(
        fillText(wording, new Map(names.map((key) => [key, valueOf(key)]))),
        pieces.map((p) => "literal" in p ? p.literal : valueOf(p.name)).join(""),
      );
    }),
  );
});
