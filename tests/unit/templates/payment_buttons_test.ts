/** Buttons of templates that ask for a payment: what fills them, and how they read on a gateway. */
import { readTemplateDefinition } from "../../../shared/templates/definition.ts";
import { renderForGateway } from "../../../shared/templates/rendering.ts";
import { findIgnoredVariables, listVariableKeys } from "../../../shared/templates/variable_keys.ts";
import { type Filling, fillTemplate, listVariables } from "../../../shared/templates/variables.ts";
import { assert, assertEquals } from "../../support/assert.ts";

type Json = Readonly<Record<string, unknown>>;

const payment = {
  reference: "ped-812",
  amount: "129.9",
  link: "https://pay.example.com/812",
  boleto: "23793.38128 60007.827136 95000.063305 9 75520000370000",
  pix: {
    ...{ key: "12345678909", keyType: "cpf" },
    ...{ merchantName: "Loja", merchantCity: "Recife" },
  },
};
const order = { type: "ORDER_DETAILS", text: "Copy Pix code" };
const copies = (type: string, text: string): Json => ({
  ...{ type: "PAYMENT_REQUEST", text },
  payment_setting: { type, [type]: { code: "sample" } },
});
const pix = copies("pix_dynamic_code", "Copy Pix code");
const link = copies("payment_link", "Open payment link");
const boleto = copies("boleto", "Copy Boleto code");

function fill(buttons: readonly Json[], variables: Json, body = "Pedido 812"): Filling {
  const read = readTemplateDefinition("NAMED", [
    { type: "BODY", text: body },
    { type: "BUTTONS", buttons },
  ]);
  assert(read.ok, JSON.stringify(read));
  return fillTemplate(read.definition, variables, { name: null, phone: null });
}

const pathsOf = (
  { issues, missing }: Filling,
): unknown => [missing, issues.map(({ path }) => path)];

Deno.test("variables.payment fills a payment button, as a payment request gives it", () => {
  for (const buttons of [[order], [pix, link, boleto]]) {
    const { template, ...found } = fill(buttons, { payment });
    assertEquals([found.missing, found.issues], [[], []]);
    assertEquals([template.payment?.amount, template.payment?.goods], ["129.90", "digital"]);
    assert(template.payment?.pixCode?.startsWith("000201"));
  }
});

Deno.test("a template with a payment button needs the payment, and names it among its variables", () => {
  for (const variables of [{}, { payment: null }]) {
    assertEquals(pathsOf(fill([order], variables)), [["payment"], []]);
  }
  const read = readTemplateDefinition("NAMED", [{ type: "BODY", text: "{{nome}}" }, {
    ...{ type: "BUTTONS", buttons: [pix] },
  }]);
  assert(read.ok);
  assertEquals(listVariables(read.definition), ["nome", "payment"]);
  assert(listVariableKeys(read.definition).has("payment"));
});

Deno.test("a payment is checked by the rules of payment requests; null is not given", () => {
  const cases: [unknown, string][] = [
    ["order-1", "variables.payment"],
    [[payment], "variables.payment"],
    [{ ...payment, amount: "1,5" }, "variables.payment.amount"],
    [{ ...payment, reference: "a b" }, "variables.payment.reference"],
    [{ ...payment, pix: { code: "000201" } }, "variables.payment.pix.code"],
    [{ ...payment, items: [{ name: "A", quantity: 1, amount: "1" }] }, "variables.payment.amount"],
    [{ ...payment, items: [null] }, "variables.payment.items.0"],
    [{ reference: "a", amount: "1" }, "variables.payment.pix"],
  ];
  for (const [given, path] of cases) {
    const { issues, template } = fill([order], { payment: given });
    assertEquals([issues[0]?.path, template.payment], [path, undefined], JSON.stringify(given));
  }
  assertEquals(pathsOf(fill([order], { payment: { ...payment, tax: null } })), [[], []]);
});

Deno.test("a payment among variables is read as that of a body: blank texts, fractions, unknown members", () => {
  const items = [{ name: "A", quantity: 1.5, amount: "64.95", productId: " ", color: "red" }];
  const given = { ...payment, description: " ", items, pix: { ...payment.pix, txid: "1" }, vat: 1 };
  const { template, ...found } = fill([order], { payment: given });
  assertEquals([found.missing, found.issues], [[], []]);
  assertEquals(template.payment?.items, [{ name: "A", quantity: 2, price: "64.95" }]);
  assertEquals([template.payment?.note, template.payment?.discount], [undefined, undefined]);
  const variables = { other: "1", payment: given };
  const ignored = ["other", "payment.items.0.color", "payment.pix.txid", "payment.vat"];
  assertEquals(findIgnoredVariables(variables, new Set(["payment"])).sort(), ignored);
  assertEquals(findIgnoredVariables(variables, new Set()), ["other", "payment"]);
  assertEquals(findIgnoredVariables({ payment: "12x" }, new Set(["payment"])), []);
});

Deno.test("no more than a hundred issues of a payment are told", () => {
  const items = Array(100).fill({ name: 1, quantity: "1", amount: 1 });
  assertEquals(fill([order], { payment: { ...payment, items } }).issues.length, 100);
});

Deno.test("each way to pay has its button, and each button its way", () => {
  const only = { reference: "a", amount: "1", link: payment.link };
  assertEquals(pathsOf(fill([link], { payment: only })), [[], []]);
  assertEquals(pathsOf(fill([link, boleto], { payment: only })), [[], [
    "variables.payment.boleto",
  ]]);
  assertEquals(pathsOf(fill([pix], { payment: only })), [[], [
    "variables.payment.pix",
    "variables.payment.link",
  ]]);
  // An order shows what it has.
  assertEquals(pathsOf(fill([order], { payment: only })), [[], []]);
});

Deno.test("a payment for a template without such a button is refused; a text of that name is a variable", () => {
  const reply = { type: "QUICK_REPLY", text: "Ok" };
  assertEquals(pathsOf(fill([reply], { payment })), [[], ["variables.payment"]]);
  assertEquals(pathsOf(fill([reply], { payment: "12x" })), [[], []]);
  assertEquals(pathsOf(fill([reply], { payment: "12x" }, "Em {{payment}}")), [[], []]);
});

Deno.test("the way to pay of a button is that of its sample, else of its label; another cannot be filled", () => {
  const labels = ["Copy Pix code", "Open payment link", "Copy Boleto code"];
  const { template } = fill(
    labels.map((text) => ({ type: "payment_request", text })),
    { payment },
  );
  assertEquals(template.buttons.map(({ means }) => means), ["pix", "link", "boleto"]);
  const unknown = { type: "PAYMENT_REQUEST", text: "Pay" };
  const read = readTemplateDefinition("NAMED", [{ type: "BUTTONS", buttons: [unknown] }]);
  assert(!read.ok && read.reason.includes("PAYMENT_REQUEST button"));
  const named = readTemplateDefinition("NAMED", [{ type: "BODY", text: "{{payment}}" }, {
    ...{ type: "BUTTONS", buttons: [pix] },
  }]);
  assert(!named.ok && named.reason.includes("{{payment}}"));
});

Deno.test("on a gateway the amount, link and line stand below the text; the code is not in it", () => {
  const reply = { type: "QUICK_REPLY", text: "Já paguei" };
  const { template } = fill([pix, link, boleto, reply], { payment });
  assertEquals(renderForGateway(template), {
    messageType: "text",
    message: "Pedido 812\n\n1. Já paguei\n\nR$ 129,90\nhttps://pay.example.com/812\n" +
      "23793381286000782713695000063305975520000370000",
  });
});
