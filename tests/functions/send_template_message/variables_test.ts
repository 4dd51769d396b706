import { assertEquals } from "../../support/assert.ts";
import { type Members, newPhone } from "../contract/service.ts";
import { sendTemplate, type TemplateCall } from "./template_call.ts";

type Components = NonNullable<TemplateCall["template"]>["components"];

interface VariableRow {
  readonly what: string;
  readonly components: Components;
  readonly parameterFormat?: "NAMED" | "POSITIONAL";
  readonly variables: Members;
  /** What the provider gets. */
  readonly sent: readonly unknown[];
}

const text = (value: string, name?: string): Members => ({
  type: "text",
  ...(name === undefined ? {} : { parameter_name: name }),
  text: value,
});
const fixedBody = { type: "BODY", text: "Olá." };
const link = "https://cdn.example.com/nota.pdf";
const urlButton = { type: "URL", text: "Ver", url: "https://shop.example.com/{{1}}" };
const quickReply = { type: "QUICK_REPLY", text: "Ok" };

/** The table of the keys of `variables`. */
const variableRows: readonly VariableRow[] = [
  {
    what: "nome and telefone are filled from the contact",
    components: [{ type: "BODY", text: "{{nome}} {{telefone}}" }],
    variables: {},
    sent: [{
      type: "body",
      parameters: [text("João Silva", "nome"), text(newPhone, "telefone")],
    }],
  },
  {
    what: "nome and telefone can be overridden",
    components: [{ type: "BODY", text: "{{nome}} {{telefone}}" }],
    variables: { nome: "Ana", telefone: "0800" },
    sent: [{ type: "body", parameters: [text("Ana", "nome"), text("0800", "telefone")] }],
  },
  {
    what: "header fills a text header with a variable",
    components: [{ type: "HEADER", format: "TEXT", text: "Pedido {{1}}" }, fixedBody],
    parameterFormat: "POSITIONAL",
    variables: { header: "4711" },
    sent: [{ type: "header", parameters: [text("4711")] }],
  },
  {
    what: "header is a media header's file, by its address",
    components: [{ type: "HEADER", format: "DOCUMENT" }, fixedBody],
    variables: { header: link },
    sent: [{
      type: "header",
      parameters: [{ type: "document", document: { link, filename: "nota.pdf" } }],
    }],
  },
  {
    what: "header is a media header's file, by its id",
    components: [{ type: "HEADER", format: "IMAGE" }, fixedBody],
    variables: { header: { id: "1013859600285441" } },
    sent: [{
      type: "header",
      parameters: [{ type: "image", image: { id: "1013859600285441" } }],
    }],
  },
  {
    what: "button_2 is the end of the second button's address",
    components: [fixedBody, { type: "BUTTONS", buttons: [quickReply, urlButton] }],
    variables: { button_2: "4711" },
    sent: [{ type: "button", sub_type: "url", index: "1", parameters: [text("4711")] }],
  },
  {
    what: "button_1_payload is a quick reply's payload",
    components: [fixedBody, { type: "BUTTONS", buttons: [quickReply] }],
    variables: { button_1_payload: "confirm" },
    sent: [{
      type: "button",
      sub_type: "quick_reply",
      index: "0",
      parameters: [{ type: "payload", payload: "confirm" }],
    }],
  },
  {
    what: "body variables go by name where the format is NAMED",
    components: [{ type: "BODY", text: "{{pedido}} {{dia}}" }],
    variables: { dia: "sexta", pedido: "4711" },
    sent: [{ type: "body", parameters: [text("4711", "pedido"), text("sexta", "dia")] }],
  },
  {
    what: "body variables go by number where the format is POSITIONAL",
    components: [{ type: "BODY", text: "{{1}} {{2}}" }],
    parameterFormat: "POSITIONAL",
    variables: { "2": "sexta", "1": "4711" },
    sent: [{ type: "body", parameters: [text("4711"), text("sexta")] }],
  },
];

// Specification 4.7, keys of variables.
for (const { what, components, parameterFormat = "NAMED", variables, sent } of variableRows) {
  Deno.test(`template variables: ${what}`, async () => {
    const outcome = await sendTemplate({
      template: { parameter_format: parameterFormat, components },
      request: { variables },
      contactName: "João Silva",
    });
    assertEquals(outcome.status, 200, JSON.stringify(outcome.body));
    assertEquals<unknown>(outcome.components, sent);
  });
}

// Specification 4.7, keys of variables.
Deno.test("a fully static template needs no variables", async () => {
  const components = [
    { type: "HEADER", format: "TEXT", text: "Aviso" },
    fixedBody,
    { type: "FOOTER", text: "Loja" },
    { type: "BUTTONS", buttons: [quickReply] },
  ];
  for (const variables of [undefined, {}]) {
    const { status, body } = await sendTemplate({
      template: { components },
      request: { variables },
    });
    assertEquals([status, body.success], [200, true], JSON.stringify(body));
  }
});
