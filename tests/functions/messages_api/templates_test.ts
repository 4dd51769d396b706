import { assertEquals } from "../../support/assert.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const body = (text: string): object => ({ type: "BODY", text });

Deno.test("messages-api lists what an instance can send, with what a call fills", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const sibling = await stack.createTenant({ workspaceId: tenant.workspaceId });
  const foreign = await stack.createTenant();
  const create = async (
    name: string,
    components: readonly object[],
    members: Readonly<Record<string, unknown>> = {},
  ): Promise<void> => {
    const row = {
      workspace_id: tenant.workspaceId,
      name,
      language: "pt_BR",
      parameter_format: "POSITIONAL",
      components: stack.admin.json(components as never),
      provider_status: "APPROVED",
      provider_template_id: crypto.randomUUID(),
      category: "UTILITY",
      ...members,
    };
    await stack.admin`insert into messaging.message_templates ${stack.admin(row)}`;
  };
  await create("pedido_saiu", [
    { type: "HEADER", format: "IMAGE" },
    body("O pedido {{1}} saiu, {{2}}."),
    { type: "FOOTER", text: "Loja" },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "Certo" },
        { type: "URL", text: "Ver", url: "https://example.com/{{1}}" },
        { type: "PHONE_NUMBER", text: "Ligar", phone_number: "+5511999990000" },
      ],
    },
  ], { instance_id: tenant.instanceId });
  await create("oferta", [
    { type: "HEADER", format: "TEXT", text: "Oi {{1}}" },
    body("Oferta_50% para {{nome}}"),
  ], {
    parameter_format: "NAMED",
    provider_status: "PAUSED",
    category: "MARKETING",
    language: "en",
  });
  await create("deleted", [body("x")], { deleted_at: new Date() });
  await create("gone", [body("x")], { provider_status: "DELETED" });
  await create("made_by_the_channel", [body("x")], { is_auto_generated: true });
  await create("carrossel", [body("x"), { type: "CAROUSEL", cards: [] }]);
  await create("of_the_sibling", [body("x")], { instance_id: sibling.instanceId });
  await create("of_others", [body("x")], { workspace_id: foreign.workspaceId });
  const list = async (query = ""): ReturnType<typeof stack.messages> =>
    await stack.messages(tenant, "GET", `/templates${query}`);
  const names = async (query: string): Promise<string[]> =>
    (await list(query)).body.items.map(({ name }: { name: string }) => name);

  const [first, second, ...others] = (await list()).body.items;
  assertEquals(others, []);
  const { templateId: _, ...shown } = first;
  assertEquals(shown, {
    name: "pedido_saiu",
    language: "pt_BR",
    category: "UTILITY",
    status: "APPROVED",
    parameterFormat: "POSITIONAL",
    variables: ["header", "1", "2", "button_2"],
    header: { format: "IMAGE", text: null },
    buttons: [
      { type: "QUICK_REPLY", text: "Certo", url: null, phoneNumber: null },
      { type: "URL", text: "Ver", url: "https://example.com/{{1}}", phoneNumber: null },
      { type: "PHONE_NUMBER", text: "Ligar", url: null, phoneNumber: "+5511999990000" },
    ],
  });
  assertEquals([second.name, second.status, second.variables, second.header], [
    ...["oferta", "PAUSED"],
    ["header", "nome"],
    { format: "TEXT", text: "Oi {{1}}" },
  ]);

  assertEquals(await names("?status=APPROVED"), ["pedido_saiu"]);
  assertEquals(await names("?language=en"), ["oferta"]);
  assertEquals(await names("?q=PEDIDO"), ["pedido_saiu"]);
  assertEquals(await names("?q=oferta_50%25"), ["oferta"], "words of the body, no pattern");
  assertEquals(await names("?q=%25"), ["oferta"]);
  assertEquals(await names("?q=HEADER"), []);
  const page = (await list("?limit=1")).body;
  assertEquals(page.items.length, 1);
  assertEquals(await names(`?limit=1&cursor=${page.nextCursor}`), ["oferta"]);
  for (const query of ["?state=APPROVED", "?status=approved", "?q=", "?language=pt%20BR"]) {
    assertEquals((await list(query)).status, 400, query);
  }
});
