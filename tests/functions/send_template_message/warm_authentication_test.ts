import { assertEquals } from "../../support/assert.ts";
import { phone, startTemplateStack } from "./template_stack.ts";

Deno.test("a warm template send makes three round trips, and a revoked token none that sends", async () => {
  await using templates = await startTemplateStack();
  const { stack, rpcNames } = templates;
  const tenant = await stack.createTenant();
  await templates.stack.admin`update messaging.instances set requests_per_minute = 3`;
  const templateId = await templates.createTemplate(tenant);
  const body = { templateId, phone };
  assertEquals((await templates.post(tenant, body)).status, 200);
  rpcNames.length = 0;
  const { status, headers } = await templates.post(tenant, body);
  assertEquals([status, headers.get("ratelimit")?.split(";")[1]], [200, "r=1"]);
  assertEquals(rpcNames, ["find_template_to_send", "accept_message", "settle_messages"]);
  await stack.admin`update messaging.client_tokens set revoked_at = clock_timestamp()`;
  assertEquals((await templates.post(tenant, body)).status, 401);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a stored answer of a template is given to no token that was revoked", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  await templates.stack.admin`update messaging.instances set requests_per_minute = 3`;
  const templateId = await templates.createTemplate(tenant);
  const send = () => templates.post(tenant, { templateId, phone }, { "Idempotency-Key": "k" });
  const first = await send();
  const again = await send();
  assertEquals([first.status, again.body], [200, first.body]);
  assertEquals(again.headers.get("ratelimit")?.split(";")[1], "r=1", "a replay counts");
  await stack.admin`update messaging.client_tokens set revoked_at = clock_timestamp()`;
  assertEquals((await send()).body.error, "invalid_client_token");
});

Deno.test("a template that is missing for a revoked token is not told", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  await templates.stack.admin`update messaging.instances set requests_per_minute = 3`;
  const templateId = await templates.createTemplate(tenant);
  await templates.post(tenant, { templateId, phone });
  for (
    const change of [
      "update messaging.client_tokens set revoked_at = now()",
      "delete from messaging.client_tokens",
    ]
  ) {
    await templates.stack.admin.unsafe(change);
    const answer = await templates.post(tenant, { templateId: crypto.randomUUID(), phone });
    assertEquals(answer.status, 401);
  }
});
