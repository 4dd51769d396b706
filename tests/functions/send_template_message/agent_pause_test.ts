/** Whether a template pauses the contact's agent (decisions, section 6). */

import { assertEquals, assertMatch } from "../../support/assert.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { MessagingStack } from "../../support/stack/messaging_stack.ts";
import { phone, startTemplateStack } from "./template_stack.ts";

for (const provider of ["zapi", "evolution", "whatsapp_cloud"] as const) {
  Deno.test(`no template of ${provider} pauses the agent, when it is accepted or when it leaves, for any sentBy`, async () => {
    await using templates = await startTemplateStack();
    const { stack } = templates;
    const tenant = await stack.createTenant({ provider });
    await createAgent(stack.admin, tenant.instanceId);
    const templateId = await templates.createTemplate(tenant);
    const ways = [
      {},
      { sentBy: "operator" },
      { sentBy: "automation", pauseAgent: false },
      { pauseAgent: null },
      { delayMessage: 1 },
      { queued: true },
    ];
    for (const way of ways) {
      const { status, body } = await templates.post(tenant, { templateId, phone, ...way });
      assertEquals([status, body.aiAgentPausedUntil], [200, null], JSON.stringify(way));
    }
    await letTimePass(stack.admin, 60);
    for (let runs = 0; runs < 2; runs++) await stack.dispatch();
    assertEquals(stack.provider.requests.length, ways.length);
    assertEquals(await countPauses(stack), 0);
  });
}

Deno.test("a template whose call says pauseAgent: true pauses the agent, when it is accepted and when it leaves", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  const templateId = await templates.createTemplate(tenant);
  const request = { templateId, phone, pauseAgent: true };
  const { body } = await templates.post(tenant, request);
  assertMatch(body.aiAgentPausedUntil, /^\d{4}-\d\d-\d\dT.*Z$/);
  const later = { ...request, phone: "5511987650000", delayMessage: 3_600 };
  assertEquals((await templates.post(tenant, later)).body.aiAgentPausedUntil, null);
  await letTimePass(stack.admin, 3_700);
  assertEquals(await countPauses(stack), 0);
  await stack.dispatch();
  assertEquals(await countPauses(stack), 1);
});

async function countPauses(stack: MessagingStack): Promise<number> {
  const running = await stack.admin`
    select from messaging.agent_pauses where paused_until > now()`;
  return running.length;
}
