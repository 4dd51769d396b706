import { assert, assertEquals } from "../../support/assert.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import { createToken } from "../../support/fixtures/tenant.ts";
import { oneVariable, phone, startTemplateStack } from "./template_stack.ts";

const unknownId = "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11";
const official = { provider: "whatsapp_cloud" } as const;

function refusalOf({ status, body }: Answer): [number, string] {
  assertEquals(body.success, false);
  assert(typeof body.message === "string");
  return [status, body.error];
}

Deno.test("400 templateId and phone are required: where one of them is absent or no text", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const templateId = unknownId;
  const bodies: [Record<string, unknown>, string[]][] = [
    [{}, ["templateId", "phone"]],
    [{ templateId }, ["phone"]],
    [{ phone }, ["templateId"]],
    [{ templateId: "", phone: " " }, ["templateId", "phone"]],
    [{ templateId: null, phone }, ["templateId"]],
    [{ templateId, phone: 5511987654321, variables: 7 }, ["phone"]],
  ];
  for (const [body, paths] of bodies) {
    const answer = await templates.post(tenant, body);
    assertEquals(refusalOf(answer), [400, "templateId and phone are required"]);
    assertEquals(answer.body.issues.map((issue: { path: string }) => issue.path), paths);
    const verb = paths.length === 1 ? "is" : "are";
    assert(answer.body.message.startsWith(`${paths.join(" and ")} ${verb} missing or not text`));
  }
});

Deno.test("400 invalid_phone and invalid_request: where the form of what is given is wrong", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  for (const wrong of ["+5511987654321", "(11) 98765-4321", "1234567", "1".repeat(16)]) {
    const answer = await templates.post(tenant, { templateId, phone: wrong });
    assertEquals(refusalOf(answer), [400, "invalid_phone"]);
  }
  for (const wrong of [{ variables: [] }, { variables: "x" }, { instanceId: 7 }]) {
    const answer = await templates.post(tenant, { templateId, phone, ...wrong });
    assertEquals(refusalOf(answer), [400, "invalid_request"], JSON.stringify(wrong));
    assertEquals(answer.body.issues[0].path, Object.keys(wrong)[0]);
  }
});

Deno.test("404 Template not found: no UUID, unknown, or another workspace's", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const stranger = await templates.stack.createTenant();
  const foreign = await templates.createTemplate(stranger);
  for (const templateId of ["aviso", `${unknownId}0`, unknownId, foreign]) {
    for (const instance of [{}, { instanceId: tenant.instanceId }, { instanceId: unknownId }]) {
      const answer = await templates.post(tenant, { templateId, phone, ...instance });
      assertEquals(refusalOf(answer), [404, "Template not found"]);
    }
  }
});

Deno.test("404 Instance not found: unknown, or one that the token does not open", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const sibling = await stack.createTenant({ workspaceId: tenant.workspaceId });
  for (const owner of [null, tenant.instanceId, sibling.instanceId]) {
    const templateId = await templates.createTemplate(tenant, { instanceId: owner });
    for (const instanceId of [unknownId, "emb_unknown", sibling.instanceId, sibling.embedKey]) {
      const answer = await templates.post(tenant, { templateId, phone, instanceId });
      assertEquals(refusalOf(answer), [404, "Instance not found"]);
    }
  }
});

Deno.test("403 Template does not belong to this instance: only where an instance was named", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const sibling = await stack.createTenant({ workspaceId: tenant.workspaceId });
  const templateId = await templates.createTemplate(tenant, { instanceId: sibling.instanceId });
  for (const instanceId of [tenant.instanceId, tenant.embedKey, tenant.businessInstanceId]) {
    const answer = await templates.post(tenant, { templateId, phone, instanceId });
    assertEquals(refusalOf(answer), [403, "Template does not belong to this instance"]);
  }
  const unnamed = await templates.post(tenant, { templateId, phone });
  assertEquals(refusalOf(unnamed), [404, "Template not found"]);
  assertEquals((await templates.post(sibling, { templateId, phone })).status, 200);
});

Deno.test("the official channel's refusals come in their order, each once the one before is mended", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const bare = await stack.createTenant({
    ...official,
    providerConfig: { phoneNumberId: undefined },
  });
  const tenant = await stack.createTenant({ ...official, workspaceId: bare.workspaceId });
  const unsynced = { providerTemplateId: null, providerStatus: "PENDING", components: oneVariable };
  const first = await templates.createTemplate(bare, unsynced);
  const call = async (
    who: typeof tenant,
    templateId: string,
    body: Record<string, unknown> = {},
  ): Promise<Answer> =>
    await templates.post(who, { templateId, phone, instanceId: who.instanceId, ...body });

  assertEquals(refusalOf(await call(bare, first)), [
    400,
    "provider_outbound_channel_not_configured",
  ]);
  assertEquals(refusalOf(await call(tenant, first)), [400, "template_not_synced_with_provider"]);
  for (const providerStatus of ["PENDING", "REJECTED", "PAUSED", "DELETED", "approved", null]) {
    const second = await templates.createTemplate(tenant, {
      ...unsynced,
      providerTemplateId: crypto.randomUUID(),
      providerStatus,
    });
    assertEquals(refusalOf(await call(tenant, second)), [400, "template_not_approved"]);
  }
  const third = await templates.createTemplate(tenant, { components: oneVariable });
  const missing = await call(tenant, third, { variables: { other: 1 } });
  assertEquals(refusalOf(missing), [400, "missing_variables"]);
  assertEquals(missing.body.missing, ["1"]);
  const broken = await call(tenant, third, { variables: { "1": "a\nb" } });
  assertEquals(refusalOf(broken), [400, "invalid_request"]);
  assertEquals(broken.body.issues[0].path, "variables.1");
  assertEquals((await call(tenant, third, { variables: { "1": "42" } })).status, 200);
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("400 missing_variables: nome of a contact without a name, on a gateway too", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  for (const provider of ["whatsapp_cloud", "zapi", "evolution"] as const) {
    const tenant = await stack.createTenant({ provider });
    const templateId = await templates.createTemplate(tenant, {
      parameterFormat: "NAMED",
      components: [
        { type: "HEADER", format: "IMAGE" },
        { type: "BODY", text: "{{nome}}, {{pedido}}, {{telefone}}" },
        {
          type: "BUTTONS",
          buttons: [{ type: "URL", text: "Ver", url: "https://a.example/{{1}}" }],
        },
      ],
    });
    const answer = await templates.post(tenant, { templateId, phone });
    assertEquals(refusalOf(answer), [400, "missing_variables"]);
    assertEquals(answer.body.missing, ["header", "nome", "pedido", "button_1"]);
  }
  const [row] = await stack.admin`select count(*)::int as count from messaging.contacts`;
  assertEquals(row?.["count"], 0);
});

Deno.test("values that are no texts and templates that nothing can fill are told with their path", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const image = await templates.createTemplate(tenant, {
    components: [{ type: "HEADER", format: "IMAGE" }, ...oneVariable],
  });
  const paths = async (templateId: string, variables: unknown): Promise<string[]> => {
    const answer = await templates.post(tenant, { templateId, phone, variables });
    assertEquals(refusalOf(answer), [400, "invalid_request"]);
    return answer.body.issues.map((issue: { path: string }) => issue.path);
  };
  assertEquals(await paths(image, { header: "http://a.example.com/a.png", "1": true }), [
    "variables.header",
    "variables.1",
  ]);
  assertEquals(await paths(image, { header: { id: "7" }, "1": "x" }), ["variables.header.link"]);
  const text = await templates.createTemplate(tenant, { components: oneVariable });
  assertEquals(await paths(text, { "1": "a".repeat(65_536) }), ["variables"]);
  const carousel = await templates.createTemplate(tenant, {
    components: [...oneVariable, { type: "CAROUSEL", cards: [] }],
  });
  assertEquals(await paths(carousel, { "1": "x" }), ["templateId"]);
});

Deno.test("a blocked contact and a missing or dead token are refused as anywhere", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  assertEquals((await templates.post(tenant, { templateId, phone })).status, 200);
  await stack.admin`update messaging.contacts set is_blocked = true`;
  assertEquals(refusalOf(await templates.post(tenant, { templateId, phone })), [
    409,
    "contact_blocked",
  ]);
  const dead = await createToken(stack.admin, tenant.instanceId, { revokedAt: new Date() });
  assertEquals(refusalOf(await templates.post({ ...tenant, ...dead }, {})), [
    401,
    "invalid_client_token",
  ]);
  assertEquals(refusalOf(await templates.post({ ...tenant, token: "" }, {})), [
    401,
    "missing_client_token",
  ]);
});
