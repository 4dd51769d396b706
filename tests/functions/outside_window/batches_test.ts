import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import { type LadderClient, phone, startLadderClient } from "./ladder_client.ts";

function callBatches(ladder: LadderClient, path: string, body?: unknown): Promise<Answer> {
  const { stack } = ladder.client;
  return stack.request(`/batches-api/batches${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "X-Client-Token": ladder.tenant.token, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

Deno.test("a batch decides for each message, and runs until what waits for a reply has left", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("resposta");
  const other = "5511977770031";
  await ladder.knowPerson(1, other);
  const batch = {
    message: { messageType: "text", message: "Oi {{nome}}" },
    intervalSeconds: 10,
    outsideWindow: [{ invite: { templateId, variables: { 1: "{{message}}" } } }],
    recipients: [
      { phone, variables: { nome: "Ana" } },
      { phone: other, variables: { nome: "Bia" } },
    ],
  };
  const dry = await callBatches(ladder, "", { ...batch, dryRun: true });
  const expected = { message: 1, direct_send: 0, template: 0, invitation: 1 };
  assertEquals([dry.status, dry.body.summary?.sentAs], [200, expected], JSON.stringify(dry.body));
  const { body: { batchId } } = await callBatches(ladder, "", batch);
  const stored = await callBatches(ladder, `/${batchId}/dry-run`, {});
  assertEquals(stored.body.summary.sentAs, expected);
  assertEquals((await callBatches(ladder, `/${batchId}/start`, {})).status, 200);
  const read = async (): Promise<Answer["body"]> => (await callBatches(ladder, `/${batchId}`)).body;
  for (let turns = 0; turns < 4; turns++) {
    await stack.dispatch();
    await letTimePass(stack.admin, 15);
  }
  const waiting = await read();
  assertEquals(
    [waiting.status, waiting.counts.awaitingReply, waiting.counts.sent, waiting.counts.queued],
    ["running", 1, 1, 0],
  );
  assertEquals(ladder.calls().toSorted(), ["template:resposta", "text"]);
  await ladder.write();
  await letTimePass(stack.admin, 15);
  await stack.dispatch();
  await letTimePass(stack.admin, 15);
  await stack.dispatch();
  const finished = await read();
  assertEquals([finished.status, finished.counts.awaitingReply, finished.counts.sent], [
    "finished",
    0,
    2,
  ]);
});

Deno.test("an invitation counts for the batch whose message waits for its answer", async () => {
  await using ladder = await startLadderClient();
  const { client, tenant } = ladder;
  const templateId = await ladder.createTemplate("resposta");
  await callFunction(client.stack.admin, "replace_rates", {
    ...{ workspaceId: tenant.workspaceId, currency: "USD", dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }],
    rates: [{
      ...{ market: "Brazil", category: "utility" },
      ...{ amount: "0.0125", effectiveFrom: "2026-01-01" },
    }],
  });
  const { body: { batchId } } = await callBatches(ladder, "", {
    message: { messageType: "text", message: "Oi" },
    outsideWindow: [{ invite: { templateId, variables: { 1: "x" } } }],
    recipients: [{ phone }],
  });
  await callBatches(ladder, `/${batchId}/start`, {});
  await ladder.dispatchUntil(1);
  const [sent] = await client.stack.admin`
    select provider_message_id as id from messaging.messages where ladder ? 'invitationFor'`;
  await ladder.tell(sent?.["id"], "delivered");
  await client.fold();
  const { estimatedCost, counts } = (await callBatches(ladder, `/${batchId}`)).body;
  assertEquals(estimatedCost, { amount: "0.0125", currency: "USD", unknown: 0 });
  assertEquals(counts.awaitingReply, 1);
});

Deno.test("a canceled batch's messages wait for no reply any more, and a ladder stands beside a message alone", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("resposta");
  const outsideWindow = [{ invite: { templateId, variables: { 1: "x" } } }];
  const recipients = [{ phone }];
  const message = { messageType: "text", message: "Oi" };
  const { body } = await callBatches(ladder, "", { message, outsideWindow, recipients });
  await callBatches(ladder, `/${body.batchId}/start`, {});
  await stack.dispatch();
  await callBatches(ladder, `/${body.batchId}/cancel`, {});
  const canceled = (await callBatches(ladder, `/${body.batchId}`)).body;
  assertEquals([canceled.status, canceled.counts.canceled], ["canceled", 1]);
  await ladder.write();
  await stack.dispatch();
  assertEquals(ladder.calls(), ["template:resposta"]);
  const beside = await callBatches(ladder, "", {
    template: { templateId },
    outsideWindow,
    recipients,
  });
  assertEquals([beside.status, beside.body.issues[0].path], [400, "outsideWindow"]);
});
