import { assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { phone, startTemplateStack } from "./template_stack.ts";

const key = { "Idempotency-Key": "k" };
const busy = (): Response =>
  Response.json({ error: { code: 130429, message: "Rate limit hit" } }, {
    status: 429,
    headers: { "Retry-After": "12" },
  });

Deno.test("a template refused for now is tried again by the same key, with the words of the first call", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  const body = { templateId, phone };
  stack.provider.answer = busy;
  const first = await templates.post(tenant, body, key);
  assertEquals([first.status, first.body.error, first.body.retryable], [
    ...[502, "provider_template_send_failed", true],
  ]);
  assertEquals(first.headers.get("retry-after"), "12");
  await stack.admin`update messaging.message_templates set name = 'renamed'`;
  stack.provider.answer = acceptMessage;
  const second = await templates.post(tenant, body, key);
  assertEquals([second.status, second.body.status], [200, "sent"]);
  assertEquals(second.headers.get("idempotent-replayed"), null);
  assertEquals(second.body.internalMessageId, first.body.internalMessageId);
  const [one, two] = stack.provider.requests;
  assertEquals(two?.json, one?.json, "the same message");
  const third = await templates.post(tenant, body, key);
  assertEquals([third.body, third.headers.get("idempotent-replayed")], [second.body, "true"]);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a template that a retry has delivered is answered as sent, whatever the template is by now", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  stack.provider.answer = busy;
  const failed = await templates.post(tenant, { templateId, phone }, key);
  const path = `/messages/${failed.body.internalMessageId}/retry`;
  assertEquals((await stack.messages(tenant, "POST", path)).status, 200);
  const waiting = await templates.post(tenant, { templateId, phone }, key);
  assertEquals([waiting.status, waiting.body.status], [200, "queued"]);
  stack.provider.answer = acceptMessage;
  await stack.dispatch();
  await stack.admin`update messaging.message_templates set provider_status = 'PAUSED'`;
  const sent = await templates.post(tenant, { templateId, phone }, key);
  assertEquals([sent.status, sent.body.status], [200, "sent"]);
  assertEquals(sent.body.internalMessageId, failed.body.internalMessageId);
  assertEquals(sent.headers.get("idempotent-replayed"), "true");
  assertEquals(stack.provider.requests.length, 2);
});
