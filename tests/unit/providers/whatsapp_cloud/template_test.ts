import {
  checkWhatsappCloudTemplate,
  toWhatsappCloudTemplate,
} from "../../../../shared/providers/whatsapp_cloud/template.ts";
import type { TemplateDefinition } from "../../../../shared/templates/definition.ts";
import type { FilledTemplate } from "../../../../shared/model/filled_template.ts";
import { fillTemplate } from "../../../../shared/templates/variables.ts";
import { assertEquals } from "../../../support/assert.ts";

function fill(
  changes: Partial<TemplateDefinition>,
  variables: Readonly<Record<string, unknown>> = {},
): FilledTemplate {
  const definition = {
    parameterFormat: "POSITIONAL",
    header: null,
    body: "Olá",
    footer: "Loja",
    buttons: [],
    ...changes,
  } as const;
  return fillTemplate(definition, variables, { name: "Ana", phone: "5511987654321" }).template;
}

function componentsOf(template: FilledTemplate): unknown {
  return toWhatsappCloudTemplate({ name: "ola", language: "pt_BR" }, template).components;
}

Deno.test("Cloud template: fixed headers, footers and buttons are not sent", () => {
  const template = fill({
    header: { format: "TEXT", text: "Oi" },
    buttons: [
      { type: "QUICK_REPLY", text: "Sim" },
      { type: "PHONE_NUMBER", text: "Ligar", phoneNumber: "+5511" },
      { type: "URL", text: "Ver", url: "https://a.example/" },
    ],
  });
  assertEquals(toWhatsappCloudTemplate({ name: "ola", language: "pt_BR" }, template), {
    name: "ola",
    language: "pt_BR",
    components: [],
  });
});

Deno.test("Cloud template: positional variables are sent by number, whatever the wording's order", () => {
  const body = "{{10}} {{2}} {{1}} {{2}}";
  assertEquals(componentsOf(fill({ body }, { "1": "a", "2": "b", "10": "c" })), [{
    type: "body",
    parameters: [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
      { type: "text", text: "c" },
    ],
  }]);
});

Deno.test("Cloud template: named variables carry their name, in the header too", () => {
  const template = fill({
    parameterFormat: "NAMED",
    header: { format: "TEXT", text: "Oi {{cliente}}" },
    body: "Pedido {{pedido}}, {{nome}}",
  }, { header: "Bia", pedido: 42 });
  assertEquals(componentsOf(template), [
    { type: "header", parameters: [{ type: "text", parameter_name: "cliente", text: "Bia" }] },
    {
      type: "body",
      parameters: [
        { type: "text", parameter_name: "pedido", text: "42" },
        { type: "text", parameter_name: "nome", text: "Ana" },
      ],
    },
  ]);
});

Deno.test("Cloud template: a media header is one of id and link", () => {
  const base = "https://files.example.com/a";
  const cases = [
    ["IMAGE", `${base}.png`, { type: "image", image: { link: `${base}.png` } }],
    ["VIDEO", { link: base }, { type: "video", video: { link: base } }],
    ["IMAGE", { id: "7", link: base }, { type: "image", image: { id: "7" } }],
    [
      "DOCUMENT",
      `${base}.pdf`,
      { type: "document", document: { link: `${base}.pdf`, filename: "a.pdf" } },
    ],
  ] as const;
  for (const [format, header, parameter] of cases) {
    assertEquals(componentsOf(fill({ header: { format } }, { header })), [{
      type: "header",
      parameters: [parameter],
    }]);
  }
});

Deno.test("Cloud template: a button's index counts all buttons from zero, as a text", () => {
  const template = fill({
    buttons: [
      { type: "PHONE_NUMBER", text: "Ligar", phoneNumber: "+5511" },
      { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
      { type: "QUICK_REPLY", text: "Sim" },
      { type: "QUICK_REPLY", text: "Não" },
    ],
  }, { button_2: "p/42", button_4_payload: "NO" });
  assertEquals(componentsOf(template), [
    {
      type: "button",
      sub_type: "url",
      index: "1",
      parameters: [{ type: "text", text: "p/42" }],
    },
    {
      type: "button",
      sub_type: "quick_reply",
      index: "3",
      parameters: [{ type: "payload", payload: "NO" }],
    },
  ]);
});

Deno.test("Cloud template: values that the channel refuses are reported under their key", () => {
  const template = (value: string): FilledTemplate =>
    fill({
      header: { format: "TEXT", text: "{{1}}" },
      body: "{{1}}",
      buttons: [
        { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
        { type: "QUICK_REPLY", text: "Sim" },
      ],
    }, { header: value, "1": value, button_1: value, button_2_payload: value });
  const pathsOf = (value: string): string[] =>
    checkWhatsappCloudTemplate(template(value)).map(({ path }) => path);
  const text = ["variables.header", "variables.1", "variables.button_1"];
  for (const value of ["a\nb", "a\tb", "a\rb", "a     b"]) assertEquals(pathsOf(value), text);
  assertEquals(pathsOf("a    b"), []);
  assertEquals(pathsOf("a".repeat(60)), []);
  assertEquals(pathsOf("a".repeat(61)), ["variables.header"]);
  assertEquals(pathsOf("a".repeat(129)), ["variables.header", "variables.button_2_payload"]);
  assertEquals(pathsOf("a".repeat(1_025)).includes("variables.1"), true);
  const lone = fill({ body: "{{1}}" }, { "1": "a".repeat(32_768) });
  assertEquals(checkWhatsappCloudTemplate(lone), []);
  const tooLong = fill({ body: "{{1}}" }, { "1": "a".repeat(32_769) });
  assertEquals(checkWhatsappCloudTemplate(tooLong).length, 1);
});

Deno.test("Cloud template: a FLOW button is sent with its component, and with its token if one is given", () => {
  const buttons = [{ type: "QUICK_REPLY", text: "Sim" }, { type: "FLOW", text: "Agendar" }];
  const component = (flow_token: string): unknown => ({
    type: "button",
    sub_type: "flow",
    index: "1",
    parameters: [{ type: "action", action: { flow_token } }],
  });
  assertEquals(componentsOf(fill({ buttons })), [component("unused")]);
  assertEquals(componentsOf(fill({ buttons }, { button_2_payload: "pedido-7" })), [
    component("pedido-7"),
  ]);
});

const pixCode =
  "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB";
const boletoLine = "23793381286000782713695000063305975520000370000";

Deno.test("Cloud template: an order's button carries the parameters of order_details", () => {
  const template = fill({ buttons: [{ type: "ORDER_DETAILS", text: "Copy Pix code" }] }, {
    payment: {
      ...{ reference: "ped-812-1", amount: "129.90", pix: { code: pixCode } },
      items: [{ name: "Camisa", quantity: 1, amount: "129.90", productId: "sku1" }],
    },
  });
  const value = { value: 12_990, offset: 100 };
  assertEquals(componentsOf(template), [{
    type: "button",
    sub_type: "order_details",
    index: 0,
    parameters: [{
      type: "action",
      action: {
        order_details: {
          reference_id: "ped-812-1",
          type: "digital-goods",
          payment_type: "br",
          currency: "BRL",
          total_amount: value,
          payment_settings: [{
            type: "pix_dynamic_code",
            pix_dynamic_code: {
              code: pixCode,
              merchant_name: "EMPRESA",
              key: "pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99",
              key_type: "EVP",
            },
          }],
          order: {
            status: "pending",
            items: [{ retailer_id: "sku1", name: "Camisa", amount: value, quantity: 1 }],
            subtotal: value,
            tax: { value: 0, offset: 100 },
          },
        },
      },
    }],
  }]);
});

Deno.test("Cloud template: each payment button carries its one way to pay, at its own index", () => {
  const template = fill({
    buttons: [
      { type: "QUICK_REPLY", text: "Sim" },
      { type: "PAYMENT_REQUEST", text: "Copy Boleto code", means: "boleto" },
      { type: "PAYMENT_REQUEST", text: "Copy Pix code", means: "pix" },
      { type: "PAYMENT_REQUEST", text: "Open payment link", means: "link" },
    ],
  }, {
    payment: {
      ...{ reference: "ped-812", amount: "129.90", pix: { code: pixCode }, boleto: boletoLine },
      link: "https://pay.example.com/812",
    },
  });
  const button = (index: string, payment_setting: unknown): unknown => ({
    ...{ type: "button", sub_type: "payment_request", index },
    parameters: [{ type: "action", action: { payment_request: { payment_setting } } }],
  });
  assertEquals(componentsOf(template), [
    button("1", { type: "boleto", boleto: { digitable_line: boletoLine } }),
    button("2", { type: "pix_dynamic_code", pix_dynamic_code: { code: pixCode } }),
    button("3", { type: "payment_link", payment_link: { uri: "https://pay.example.com/812" } }),
  ]);
});

Deno.test("Cloud template: an order's item has a name of at most 60 characters", () => {
  const issuesOf = (payment: object): unknown =>
    checkWhatsappCloudTemplate(
      fill({ buttons: [{ type: "ORDER_DETAILS", text: "Copy Pix code" }] }, {
        payment: { reference: "a", amount: "1", pix: { code: pixCode }, ...payment },
      }),
    ).map(({ path }) => path);
  const name = "a".repeat(61);
  assertEquals(issuesOf({ description: name }), ["variables.payment.description"]);
  assertEquals(issuesOf({ items: [{ name, quantity: 1, amount: "1" }] }), [
    "variables.payment.items.0.name",
  ]);
});
