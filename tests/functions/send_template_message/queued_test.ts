import { assertEquals } from "../../support/assert.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { oneVariable, phone, startTemplateStack } from "./template_stack.ts";

for (const provider of ["whatsapp_cloud", "zapi"] as const) {
  Deno.test(`a template takes the queue, the delay and the instant as send-message does: ${provider}`, async () => {
    await using templates = await startTemplateStack();
    const { stack } = templates;
    const tenant = await stack.createTenant({ provider });
    const templateId = await templates.createTemplate(tenant, { components: oneVariable });
    const call = { templateId, phone, variables: { 1: "4711" }, cardId: "order-4711" };
    const sendAt = new Date(Date.now() + 7_200_000).toISOString();
    const cases = [
      [{ queued: true, intervalSeconds: 600, delayMessage: 60 }, "queued", "delay", 60],
      [{ queued: true, intervalSeconds: 600, delayMessage: 60 }, "queued", "interval", 660],
      [{ delayMessage: 120 }, "scheduled", "delay", 120],
      [{ sendAt }, "scheduled", "delay", 7_200],
    ] as const;
    const askedAt = Date.now();
    const ids: string[] = [];
    for (const [fields, mode, heldBy, seconds] of cases) {
      const { status, body } = await templates.post(tenant, {
        ...call,
        ...fields,
        sentBy: "automation",
      });
      assertEquals([status, body.mode, body.heldBy, body.status, body.messageId], [
        ...[200, mode, heldBy, "queued", null],
      ]);
      const late = (Date.parse(body.scheduledFor) - askedAt) / 1_000 - seconds;
      assertEquals(late > -2 && late < 30, true, `${JSON.stringify(fields)} ${late}`);
      ids.push(body.internalMessageId);
    }
    assertEquals(stack.provider.requests.length, 0);
    const record = await stack.messages(tenant, "GET", `/messages/${ids[0]}`);
    assertEquals([record.body.cardId, record.body.status], ["order-4711", "queued"]);
    const [stored] = await stack.admin`
      select distinct sent_by from messaging.messages where instance_id = ${tenant.instanceId}`;
    assertEquals(stored?.["sent_by"], "automation");
    await letTimePass(stack.admin, 7_300);
    // Those of the queue are given their slots first.
    for (let passes = 0; passes < 4; passes++) {
      await stack.dispatch();
      await letTimePass(stack.admin, 600);
    }
    assertEquals(stack.provider.requests.length, 4);
    for (const id of ids) {
      const { body } = await stack.messages(tenant, "GET", `/messages/${id}`);
      assertEquals([body.status, body.message], ["sent", "Pedido 4711"]);
    }
  });
}

Deno.test("a template that is sent at once answers as before, with both ids", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  const { body } = await templates.post(tenant, { templateId, phone });
  assertEquals(Object.keys(body).sort(), [
    ...["aiAgentPausedUntil", "contactId", "conversationId", "internalMessageId", "messageId"],
    ...[
      "phone",
      "provider",
      "providerMessageId",
      "status",
      "success",
      "templateId",
      "templateName",
    ],
  ]);
  const record = await templates.stack.messages(
    tenant,
    "GET",
    `/messages/${body.internalMessageId}`,
  );
  assertEquals(record.body.providerMessageId, body.messageId);
  assertEquals(body.providerMessageId, body.messageId);
});

Deno.test("a template of the agent's pauses no agent; a delay and an instant together are refused", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  const templateId = await templates.createTemplate(tenant);
  const ofAgent = await templates.post(tenant, { templateId, phone, sentBy: "ai_agent" });
  assertEquals([ofAgent.status, ofAgent.body.aiAgentPausedUntil], [200, null]);
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  const refused = [
    [{ sendAt, delayMessage: 5 }, "sendAt"],
    [{ intervalSeconds: 5 }, "intervalSeconds"],
    [{ delayMessage: -1 }, "delayMessage"],
    [{ sentBy: "x".repeat(65) }, "sentBy"],
  ] as const;
  for (const [fields, path] of refused) {
    const { status, body } = await templates.post(tenant, { templateId, phone, ...fields });
    assertEquals([status, body.error, body.issues[0].path], [400, "invalid_request", path]);
  }
});

Deno.test("a waiting template that was canceled says so to the repeated call", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  const headers = { "Idempotency-Key": "t-1" };
  const call = { templateId, phone, delayMessage: 600, cancelKey: "k" };
  const first = await templates.post(tenant, call, headers);
  assertEquals((await templates.post(tenant, call, headers)).body, first.body);
  await stack.messages(tenant, "DELETE", "/messages?cancelKey=k");
  const again = await templates.post(tenant, call, headers);
  assertEquals([again.status, again.body.status], [200, "canceled"]);
});
