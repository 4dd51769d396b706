import fc from "fast-check";
import {
  describeStrayBraces,
  FillableText,
  fillText,
  findStrayBraces,
  listPlaceholders,
  maxFilledLength,
} from "../../../shared/model/placeholders.ts";
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

Deno.test("double braces that nothing can fill are found, as they are written", () => {
  const cases = {
    ...{ "Oi {{nome-cliente}}!": "{{nome-cliente}}", "{{nome cliente}}": "{{nome cliente}}" },
    ...{ "{{nome.cliente}}": "{{nome.cliente}}", "{{}}": "{{}}", "{{ }} {{1}}": "{{ }}" },
    ...{ "{{nome}": "{{", "nome}}": "}}", "{{{nome}}}": "{{{", "{{nome}}}": "}}}" },
    ...{ "{{$nome}}": "{{$nome}}", "{{1}} {{#if a}}": "{{#if a}}", '{{"a": 1}}': '{{"a": 1}}' },
  };
  for (const [text, braces] of Object.entries(cases)) {
    assertEquals(findStrayBraces(text), braces, text);
  }
  for (const text of ["", "{1}", "{{1}} e {{ nome_2 }}", "{{preço}}{{2}}", "{ {a} }", "a } b {"]) {
    assertEquals(findStrayBraces(text), null, text);
  }
  const told = describeStrayBraces(`{{${"😀".repeat(80)}}}`);
  assertEquals([told.isWellFormed(), told.length < 250], [true, true]);
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

Deno.test("the length of a filled text is computed before it is filled, and one that is too long is not filled", () => {
  let reads = 0;
  const value = "x".repeat(4_000);
  const values = new Map([["a", value]]);
  values.get = (name) => {
    reads += 1;
    return name === "a" ? value : undefined;
  };
  assertEquals(fillText("{{a}}".repeat(12_000), values), null);
  // Once for each place where it is measured, and never to put it in.
  assertEquals(reads, 12_000);
  const most = "b".repeat(maxFilledLength - 4_000);
  assertEquals(fillText(`{{a}}${most}`, values)?.length, maxFilledLength);
  assertEquals(fillText(`{{a}}${most}b`, values), null);
  assertEquals(fillText("{{a}}b", values, 4_000), null);
});

Deno.test("a text that is taken apart once is filled for many as it is for one", () => {
  const text = new FillableText("Oi {{nome}}, {{ valor }} e {{nome}}{{x}}!");
  assertEquals([...text.names], ["nome", "valor", "x"]);
  for (const nome of ["Ana", "{{valor}}", ""]) {
    const values = new Map([["nome", nome], ["valor", "$1"]]);
    assertEquals(text.fill(values), `Oi ${nome}, $1 e ${nome}{{x}}!`);
  }
});
