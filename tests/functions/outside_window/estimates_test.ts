import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { callBatches, readBatch } from "../../support/fixtures/batch_calls.ts";
import { phone, startLadderClient } from "./ladder_client.ts";

Deno.test("a batch with a ladder is estimated by the rung that each message would take", async () => {
  await using ladder = await startLadderClient();
  const { client: { stack }, tenant } = ladder;
  await stack.admin`
    update messaging.instances set free_service_messages_per_month = 1
    where id = ${tenant.instanceId}`;
  const rate = (category: string, amount: string) => ({
    ...{ market: "Brazil", category, amount, effectiveFrom: "2026-01-01" },
  });
  await callFunction(stack.admin, "replace_rates", {
    ...{ workspaceId: tenant.workspaceId, currency: "USD", dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }],
    rates: [rate("service", "0.001"), rate("utility", "0.02"), rate("marketing", "0.3")],
  });
  const [openOne, openTwo, closed] = ["5511977770041", "5511977770042", "5511977770043"];
  for (const to of [openOne, openTwo]) await ladder.knowPerson(1, to);
  await ladder.knowPerson(30, closed);
  const estimate = async (outsideWindow: readonly object[]): Promise<unknown[]> => {
    const batch = {
      message: { messageType: "text", message: "Oi" },
      intervalSeconds: 10,
      outsideWindow,
      recipients: [openOne, openTwo, closed, phone].map((to) => ({ phone: to })),
    };
    const dry = await callBatches(stack, tenant, "POST", "/batches", { ...batch, dryRun: true });
    assertEquals(dry.status, 200, JSON.stringify(dry.body));
    const { batchId } = (await callBatches(stack, tenant, "POST", "/batches", batch)).body;
    const stored = await callBatches(stack, tenant, "POST", `/batches/${batchId}/dry-run`, {});
    const draft = await readBatch(stack, tenant, batchId);
    const told = [dry.body, stored.body, draft].map(({ estimatedCost }) => estimatedCost);
    assertEquals(told, Array(3).fill(told[0]));
    return [told[0], dry.body.summary.sentAs];
  };
  const variables = { 1: "{{message}}" };
  const utility = await ladder.createTemplate("aviso");
  const marketing = await ladder.createTemplate("oferta", { category: "MARKETING" });
  const usd = (amount: string) => ({ amount, currency: "USD", unknown: 0 });
  const sentAs = { message: 2, direct_send: 0, template: 0, invitation: 0 };
  assertEquals(await estimate([{ template: { templateId: utility, variables } }]), [
    ...[usd("0.041"), { ...sentAs, template: 2 }],
  ]);
  assertEquals(
    await estimate([{ directSend: "utility" }, { invite: { templateId: marketing, variables } }]),
    [usd("0.601"), { ...sentAs, invitation: 2 }],
  );
  await stack.admin`update messaging.instances set direct_send = true`;
  assertEquals(
    await estimate([{ directSend: "utility" }, { invite: { templateId: marketing, variables } }]),
    [usd("0.041"), { ...sentAs, direct_send: 2 }],
  );
});
