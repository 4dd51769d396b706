import fc from "fast-check";
import type { TemplateDefinition } from "../../../shared/templates/definition.ts";
import { renderTemplateText } from "../../../shared/templates/rendering.ts";
import { listPlaceholders } from "../../../shared/model/placeholders.ts";
import { type Filling, fillTemplate } from "../../../shared/templates/variables.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const contact = { name: "Ana", phone: "5511987654321" };

function define(changes: Partial<TemplateDefinition>): TemplateDefinition {
  const body = "Olá";
  return { parameterFormat: "NAMED", header: null, footer: null, buttons: [], body, ...changes };
}

function fill(
  changes: Partial<TemplateDefinition>,
  variables: Readonly<Record<string, unknown>> = {},
  facts: { name: string | null; phone: string } = contact,
): Filling {
  return fillTemplate(define(changes), variables, facts);
}

Deno.test("missing names the request's keys in the template's order, each once", () => {
  const { missing } = fill(
    {
      parameterFormat: "POSITIONAL",
      header: { format: "TEXT", text: "{{1}}" },
      body: "{{2}} {{1}} {{2}} {{nome}}",
      footer: "{{9}}",
      buttons: [
        { type: "QUICK_REPLY", text: "Sim" },
        { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
        { type: "URL", text: "Início", url: "https://a.example/" },
      ],
    },
    {},
    { name: null, phone: "5511987654321" },
  );
  assertEquals(missing, ["header", "2", "1", "nome", "button_2"]);
});

Deno.test("nome and telefone come from the contact and can be overridden", () => {
  const body = "{{nome}} {{telefone}}";
  assertEquals(fill({ body }).template.body.text, "Ana 5511987654321");
  assertEquals(fill({ body }, { nome: "Bia", telefone: 7 }).template.body.text, "Bia 7");
  for (const nothing of [undefined, null, "", " \n"]) {
    assertEquals(fill({ body }, { nome: nothing }).template.body.text, "Ana 5511987654321");
    assertEquals(
      fill({ body }, { nome: nothing }, { name: null, phone: "55119" }).missing,
      ["nome"],
    );
  }
  assertEquals(fill({ body }, {}, { name: "  ", phone: "1" }).missing, ["nome"]);
  assertEquals(
    fill({ body }, {}, { name: " Ana\n Lima ", phone: "1" }).template.body.text,
    "Ana Lima 1",
  );
});

Deno.test("only nome and telefone are filled from the contact", () => {
  assertEquals(fill({ body: "{{Nome}} {{name}} {{phone}}" }).missing, ["Nome", "name", "phone"]);
});

Deno.test("a text header is filled by header; a named one also by its name and the contact", () => {
  const header = { format: "TEXT", text: "Oi {{nome}}" } as const;
  const textOf = (variables: Record<string, unknown>): string =>
    renderTemplateText(fill({ header, body: "{{nome}}" }, variables).template);
  assertEquals(textOf({ header: "Bia" }), "Oi Bia\n\nAna");
  assertEquals(textOf({ nome: "Caio" }), "Oi Caio\n\nCaio");
  assertEquals(textOf({}), "Oi Ana\n\nAna");
  const positional = fill({
    parameterFormat: "POSITIONAL",
    header: { format: "TEXT", text: "Oi {{1}}" },
    body: "{{1}}",
  }, { "1": "corpo" });
  assertEquals(positional.missing, ["header"]);
});

Deno.test("numbers are written out; other values are refused under their key", () => {
  const { template, issues, missing } = fill({ body: "{{a}} {{b}} {{c}} {{d}}" }, {
    a: 12.5,
    b: true,
    c: { x: 1 },
    d: ["e"],
    unknown: { not: "read" },
  });
  assertEquals(template.body.parameters[0]?.value, "12.5");
  assertEquals(issues.map(({ path }) => path), ["variables.b", "variables.c", "variables.d"]);
  assertEquals(missing, []);
});

Deno.test("a member that every object inherits is not a variable", () => {
  const body = "{{constructor}} {{toString}} {{__proto__}}";
  assertEquals(fill({ body }).missing, ["constructor", "toString", "__proto__"]);
});

Deno.test("buttons are numbered by their position among all buttons, from 1", () => {
  const { template, missing } = fill({
    buttons: [
      { type: "PHONE_NUMBER", text: "Ligar", phoneNumber: "+5511999990000" },
      { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
      { type: "QUICK_REPLY", text: "Sair" },
    ],
  }, { button_1: "x", button_2: "a b?c=1", button_2_payload: "y", button_3_payload: "OUT" });
  assertEquals(missing, []);
  assertEquals(template.buttons, [
    { type: "PHONE_NUMBER", text: "Ligar", phoneNumber: "+5511999990000" },
    { type: "URL", text: "Ver", url: "https://a.example/a%20b?c=1", suffix: "a b?c=1" },
    { type: "QUICK_REPLY", text: "Sair", payload: "OUT" },
  ]);
});

const key = fc.constantFrom("1", "2", "3", "nome", "telefone", "pedido", "header", "button_1");
const wording = fc.array(
  fc.oneof(key.map((name) => `{{${name}}}`), fc.constantFrom("a ", "{", "}}", "\n")),
  { maxLength: 8 },
).map((pieces) => pieces.join(""));
const definitions: fc.Arbitrary<TemplateDefinition> = fc.record({
  parameterFormat: fc.constantFrom("POSITIONAL", "NAMED"),
  header: fc.option(fc.record({ format: fc.constant("TEXT" as const), text: wording })),
  body: wording,
  footer: fc.option(fc.constant("Loja")),
  buttons: fc.array(
    fc.record({
      type: fc.constantFrom("URL", "QUICK_REPLY"),
      text: fc.constant("Ver"),
      url: wording.map((text) => `https://a.example/${text}`),
    }),
    { maxLength: 3 },
  ),
});
const value = fc.oneof(
  fc.constantFrom("{{1}}", "{{nome}}", "", " ", null, 0),
  fc.string({ maxLength: 6 }),
);
const facts = fc.record({
  name: fc.option(fc.string({ maxLength: 5 })),
  phone: fc.constant("5511987654321"),
});

/** Every placeholder of a template with the key that fills it. */
function listKeys({ header, body, buttons }: TemplateDefinition): string[] {
  const headerNames = header?.format === "TEXT" ? listPlaceholders(header.text) : [];
  return [
    ...headerNames.map((name, index) => index === 0 ? "header" : name),
    ...listPlaceholders(body),
    ...buttons.flatMap(({ type, url = "" }, index) =>
      type === "URL" && listPlaceholders(url).length > 0 ? [`button_${index + 1}`] : []
    ),
  ];
}

Deno.test("every placeholder is either filled or listed as missing, never both", () => {
  fc.assert(
    fc.property(definitions, fc.dictionary(key, value), facts, (definition, variables, who) => {
      const { template, missing, issues } = fillTemplate(definition, variables, who);
      assertEquals(issues, []);
      const { header, body, buttons } = template;
      const filled = [
        ...(header?.format === "TEXT" ? header.parameters : []),
        ...body.parameters,
        ...buttons.flatMap(({ suffix }, index) =>
          suffix === undefined ? [] : [{ key: `button_${index + 1}`, value: suffix }]
        ),
      ];
      assertEquals(filled.map((parameter) => parameter.key), listKeys(definition));
      const unfilled = filled.filter((parameter) => parameter.value === "");
      // In the template's order, each once.
      assertEquals(missing, [...new Set(unfilled.map((parameter) => parameter.key))]);
    }),
    { numRuns: 500 },
  );
});

Deno.test("a value reaches the text unchanged", () => {
  fc.assert(
    fc.property(wording, fc.dictionary(key, value), (body, variables) => {
      const { template, missing } = fillTemplate(define({ body }), variables, contact);
      fc.pre(missing.length === 0);
      const values = new Map(template.body.parameters.map((p) => [p.placeholder, p.value]));
      const pieces = body.split(/(\{\{[\p{L}\p{N}_]+\}\})/u)
        .map((part) => values.get(part.slice(2, -2)) ?? part);
      assert(template.body.text === pieces.join(""));
    }),
  );
});
