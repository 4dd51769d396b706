import type { KnownAccount } from "../../../../shared/templates/submission/submitted_template.ts";
import {
  templateRules,
  unknownAccount,
  validateTemplate,
} from "../../../../shared/templates/submission/validate_template.ts";
import { assert, assertEquals } from "../../../support/assert.ts";
import { body, code, plain, ruleCases } from "./rule_cases.ts";

const now = "2026-11-23T13:00:00.000Z";
const unknown = unknownAccount(now);

const found = (template: unknown, account: KnownAccount = unknown): string[] =>
  validateTemplate(template, account).map(({ rule, path }) => `${rule} ${path}`);

Deno.test("a template that breaks no rule has no issues, nor has one of codes", () => {
  assertEquals([found(plain), found(code)], [[], []]);
});

for (const [index, { rule, wrong, path, right }] of ruleCases.entries()) {
  Deno.test(`${rule} refuses the smallest wrong template and takes the nearest right one (${index})`, () => {
    assertEquals([found(wrong), found(right)], [[`${rule} ${path}`], []]);
  });
}

Deno.test("an account at its limit takes no further template, as told and not as assumed", () => {
  const at = (used: number): KnownAccount => ({ ...unknown, limit: { used, total: 250 } });
  assertEquals(found(plain, at(250)), ["account_limit name"]);
  assertEquals(found(plain, at(249)), []);
});

Deno.test("a name stays taken for 30 days after its deletion, in that language alone", () => {
  const known = (language: string, status: string, deletedAt: string | null): KnownAccount => ({
    ...unknown,
    sameName: [{ language, status, deletedAt }],
  });
  const cases = [
    [known("pt_BR", "PENDING_DELETION", null), ["name_being_deleted name"]],
    [known("pt_BR", "DELETED", "2026-10-24T13:00:01.000Z"), ["name_being_deleted name"]],
    [known("pt_BR", "DELETED", "2026-10-24T13:00:00.000Z"), []],
    [known("pt_BR", "DELETED", null), []],
    [known("en_US", "PENDING_DELETION", null), []],
  ] as const;
  for (const [account, expected] of cases) assertEquals(found(plain, account), [...expected]);
});

Deno.test("a name has one template in each language", () => {
  const account = (language: string): KnownAccount => ({
    ...unknown,
    sameName: [{ language, status: "REJECTED", deletedAt: null }],
  });
  assertEquals(found(plain, account("pt_BR")), ["language_exists language"]);
  assertEquals(found(plain, account("en_US")), []);
});

Deno.test("each rule has a case and a source, and the documented codes all have a rule", () => {
  const ofAccount = ["account_limit", "name_being_deleted", "language_exists"];
  const covered = new Set([...ruleCases.map(({ rule }) => rule), ...ofAccount]);
  assertEquals(templateRules.filter(({ id }) => !covered.has(id)).map(({ id }) => id), []);
  assert(templateRules.every(({ source }) => source.startsWith("Meta: ")));
  const codes = new Set(templateRules.map((rule) => rule.code));
  const documented = [2388019, 2388023, 2388040, 2388047, 2388072, 2388073, 2388293, 2388299];
  assertEquals(documented.filter((one) => !codes.has(one)), []);
});

Deno.test("all faults are told at once, each with its path and Meta's code", () => {
  const issues = validateTemplate({
    ...plain,
    name: "Olá",
    components: [{ type: "BODY", text: "{{1}}" }, { type: "FOOTER", text: "Loja {{1}}" }],
  }, unknown);
  assertEquals(issues.map(({ rule, code, path }) => [rule, code, path]), [
    ["name_characters", null, "name"],
    ["footer_wording", 2388073, "components.1.text"],
    ["variables_for_length", 2388293, "components.0.text"],
    ["variable_at_edge", 2388299, "components.0.text"],
    ["text_examples", 2388043, "components.0.example.body_text"],
  ]);
});

Deno.test("words are counted in the manner of the language", () => {
  const template = (language: string, text: string): unknown => ({
    ...plain,
    language,
    components: [{ type: "BODY", text, example: { body_text: [["1"]] } }],
  });
  assertEquals(found(template("zh_CN", "您的订单{{1}}已经发货。")), []);
  assertEquals(found(template("pt_BR", "Pedido {{1}} - !")), [
    "variables_for_length components.0.text",
  ]);
});

Deno.test("what is no template at all is an issue too, never an exception", () => {
  for (
    const value of [null, 1, "x", [], {}, { ...plain, components: [null] }, { ...plain, name: 1 }]
  ) {
    assert(found(value).every((issue) => issue.startsWith("template_form ")));
    assert(found(value).length > 0);
  }
  assertEquals(
    validateTemplate({ ...plain, name: undefined, language: 1 }, unknown)
      .map(({ path, message }) => [path, message]),
    [["name", "is required"], ["language", "must be text"]],
  );
  const odd = { ...body, buttons: "x" };
  assertEquals(found({ ...plain, components: [odd] }), ["template_form components.0.buttons"]);
});
