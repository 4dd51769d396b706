import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { phone, startTemplateStack, type TemplateStack } from "./template_stack.ts";

const template = { name: "aviso", language: "pt_BR" };

/** Which template a call by name sends; the error where it sends none. */
async function send(templates: TemplateStack, tenant: Tenant, named: object): Promise<unknown[]> {
  const { status, body } = await templates.post(tenant, { phone, ...named });
  return [status, status === 200 ? body.templateId : body.error];
}

Deno.test("a template is sent by its name: this instance's, then the workspace's", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const other = await templates.stack.createTenant({ workspaceId: tenant.workspaceId });
  const { instanceId } = tenant;
  await templates.createTemplate(other, { instanceId: other.instanceId });
  assertEquals(await send(templates, tenant, { template }), [404, "Template not found"]);
  const shared = await templates.createTemplate(tenant);
  assertEquals(await send(templates, tenant, { template }), [200, shared]);
  const own = await templates.createTemplate(tenant, { instanceId });
  assertEquals(await send(templates, tenant, { template }), [200, own]);
  assertEquals(await send(templates, tenant, { template: { ...template, language: "en_US" } }), [
    404,
    "Template not found",
  ]);
  await templates.createTemplate(tenant, { instanceId });
  assertEquals(await send(templates, tenant, { template }), [409, "template_ambiguous"]);
  assertEquals(await send(templates, tenant, { templateId: own }), [200, own]);
});

Deno.test("a template that was not submitted makes none ambiguous that the channel has", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant({ provider: "whatsapp_cloud" });
  const { instanceId } = tenant;
  const draft = { instanceId, providerStatus: null, providerTemplateId: null };
  await templates.createTemplate(tenant, draft);
  assertEquals(await send(templates, tenant, { template }), [
    400,
    "template_not_synced_with_provider",
  ]);
  const approved = await templates.createTemplate(tenant, { instanceId });
  await templates.createTemplate(tenant, draft);
  assertEquals(await send(templates, tenant, { template }), [200, approved]);
});

Deno.test("a deleted template is not sent, by its name or its id, nor one that the channel has made by its name", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  const states = [
    ["provider_status = 'DELETED'", [200, templateId]],
    ["is_auto_generated = true", [200, templateId]],
    ["deleted_at = now()", [404, "Template not found"]],
  ] as const;
  for (const [change, byId] of states) {
    await stack.admin.unsafe(`
      update messaging.message_templates
      set provider_status = 'APPROVED', is_auto_generated = false, deleted_at = null;
      update messaging.message_templates set ${change}`);
    assertEquals(await send(templates, tenant, { template }), [404, "Template not found"], change);
    assertEquals(await send(templates, tenant, { templateId }), [...byId], change);
  }
});

Deno.test("a call names a template in one way", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  const both = await templates.post(tenant, { phone, templateId, template });
  assertEquals([both.status, both.body.issues], [400, [
    { path: "template", message: "must not be given beside templateId" },
  ]]);
  const half = await templates.post(tenant, { phone, template: { name: "aviso" } });
  assertEquals([half.status, half.body.issues[0].path], [400, "template.language"]);
  const none = await templates.post(tenant, { phone });
  assertEquals([none.status, none.body.error], [400, "templateId and phone are required"]);
});

Deno.test("a repeated call by name answers what the first one did", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  await templates.createTemplate(tenant);
  const key = { "Idempotency-Key": "k" };
  const first = await templates.post(tenant, { phone, template }, key);
  const again = await templates.post(tenant, { phone, template }, key);
  assertEquals([first.status, again.body], [200, first.body]);
  assertEquals(templates.stack.provider.requests.length, 1);
});
