/** Variables that nothing takes are named in the answer (decisions, section 8). */

import { assertEquals } from "../../support/assert.ts";
import { phone, startTemplateStack } from "./template_stack.ts";

const components = [
  { type: "HEADER", format: "TEXT", text: "Oi {{cliente}}" },
  { type: "BODY", text: "O pedido {{pedido}} saiu, {{nome}}." },
  { type: "FOOTER", text: "Loja" },
  {
    type: "BUTTONS",
    buttons: [
      { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
      { type: "QUICK_REPLY", text: "Sair" },
      { type: "URL", text: "Site", url: "https://a.example/" },
    ],
  },
];
const taken = { header: "Bia", cliente: "Bia", pedido: 7, nome: "Ana", button_1: "x" };

for (const provider of ["zapi", "whatsapp_cloud"] as const) {
  Deno.test(`${provider}: a variable that the template does not take is named, and one that it takes is not`, async () => {
    await using templates = await startTemplateStack();
    const tenant = await templates.stack.createTenant({ provider });
    const templateId = await templates.createTemplate(tenant, {
      parameterFormat: "NAMED",
      components,
    });
    const post = (variables: object, key?: string) =>
      templates.post(
        tenant,
        { templateId, phone, variables },
        key === undefined ? {} : { "Idempotency-Key": key },
      );
    const all = await post({ ...taken, button_2_payload: "OUT" });
    assertEquals([all.status, all.body.ignoredFields], [200, undefined]);
    const unknown = { foo: 1, telefone: phone, button_3: "x", button_1_payload: "x", none: null };
    const names = ["foo", "telefone", "button_3", "button_1_payload"].map((name) =>
      `variables.${name}`
    );
    for (const isReplay of [false, true]) {
      const { status, body, headers } = await post({ ...taken, ...unknown }, "k");
      assertEquals([status, body.ignoredFields], [200, names]);
      assertEquals(headers.get("Idempotent-Replayed"), isReplay ? "true" : null);
    }
  });
}

Deno.test("a static header and a media header take what they can", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant({ provider: "whatsapp_cloud" });
  const header = "https://files.example.com/a.png";
  const cases = [
    [{ type: "HEADER", format: "TEXT", text: "Olá" }, ["variables.header"]],
    [{ type: "HEADER", format: "IMAGE" }, undefined],
  ] as const;
  for (const [part, ignored] of cases) {
    const body = { type: "BODY", text: "Olá" };
    const templateId = await templates.createTemplate(tenant, { components: [part, body] });
    const answer = await templates.post(tenant, { templateId, phone, variables: { header } });
    assertEquals([answer.status, answer.body.ignoredFields], [200, ignored], part.format);
  }
});
