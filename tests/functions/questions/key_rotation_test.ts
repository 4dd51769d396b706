/** What a new key means for the addresses that the ends of questions are told at. */

import { resealNotifyAddresses } from "../../../functions/admin-api/reseal_notify_addresses.ts";
import { createCredentialVault } from "../../../shared/crypto/credential_vault.ts";
import { createQuestionNotification } from "../../../shared/events/notify_of_question.ts";
import { assertEquals } from "../../support/assert.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { callBatches, changeBatch, createBatch } from "../../support/fixtures/batch_calls.ts";
import { testCredentialsKey } from "../../support/fixtures/tenant.ts";
import { reseal } from "../../support/stack/reseal.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";
import { ask, phone, say } from "./question_client.ts";

const newKey = btoa("n".repeat(32));
const other = "5521912345678";

Deno.test("after a key rotation the ends of all questions are told, without the former key", async () => {
  await using receiver = startHttpDouble(() => new Response(null, { status: 200 }));
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const notifyUrl = receiver.baseUrl;
  await say(client, tenant, "oi");
  const ended = await ask(client, tenant, { notifyUrl });
  await say(client, tenant, "um");
  const open = await ask(client, tenant, { notifyUrl });
  const tenantOfBatch = await client.createTenant();
  const batchId = await createBatch(stack, tenantOfBatch, {
    message: { messageType: "text", message: "Quantos?" },
    ask: { answerWithin: "PT1H", notifyUrl },
    recipients: [{ phone: other }],
  });
  const before = await readSeals(client);
  assertEquals(before.length, 3);

  // Alone: the credentials of the instances stay under the key that this stack opens them with.
  const services = {
    ...stack.services,
    vault: createCredentialVault(`${newKey},${testCredentialsKey}`),
  };
  const keyIds = await services.vault.keyIds();
  const limits = [2, 200, 200];
  const reports = await Array.fromAsync(
    limits,
    (limit) => resealNotifyAddresses(services, keyIds, limit),
  );
  assertEquals(reports.map(({ replaced, remaining }) => [replaced, remaining]), [
    ...[[2, 1], [1, 0], [0, 0]],
  ]);
  assertEquals(new Set([...before, ...await readSeals(client)]).size, 6);

  await say(client, tenant, "dois");
  await changeBatch(stack, tenantOfBatch, batchId, "start");
  await stack.dispatch();
  const { body } = await callBatches(stack, tenantOfBatch, "GET", `/batches/${batchId}/recipients`);
  await client.receive(tenantOfBatch, {
    ...{ phone: other, messageId: "IN", text: { message: "três" }, momment: Date.now() },
  });
  const notify = createQuestionNotification({
    ...{ vault: createCredentialVault(newKey), allowsPrivateHosts: true },
  });
  const rows = await stack.admin<{ id: string; payload: Record<string, unknown> }[]>`
    select id, payload from messaging.outbox where kind = 'question_notification'
    order by created_at`;
  for (const { id, payload } of rows) {
    const row = { outboxId: id, kind: "question_notification", payload, attempts: 1 };
    assertEquals(await notify(row as never), { outcome: "done" });
  }
  assertEquals(receiver.requests.map(({ json }) => (json["data"] as Ids)["questionId"]), [
    ...[ended["questionId"], open["questionId"], body.items[0].questionId],
  ]);
});

Deno.test("a question whose address no key opens is named, and sealed anew once its key is there", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const call = {
    ...{ phone, messageType: "text", message: "Quantos?" },
    ask: { answerWithin: "PT1H", notifyUrl: "https://hooks.example.com/a" },
  };
  const headers = { "Idempotency-Key": "question-1" };
  const { body } = await client.stack.send(tenant, call, headers);
  const before = await readSeals(client);
  const { remaining, unreadable } = await reseal(client.stack, newKey);
  assertEquals([remaining, unreadable.includes(body.questionId)], [0, true]);
  assertEquals(await readSeals(client), before);
  const whole = await reseal(client.stack, `${newKey},${testCredentialsKey}`);
  assertEquals([whole.remaining, whole.unreadable], [0, []]);
  assertEquals(new Set([...before, ...await readSeals(client)]).size, 2);
});

type Ids = Readonly<Record<string, unknown>>;

/** Each seal that is stored, once for each row. */
async function readSeals({ stack }: WebhookClient): Promise<string[]> {
  const rows = await stack.admin<{ row: string }[]>`
    select to_jsonb(q)::text as row from messaging.questions q
    union all select to_jsonb(b)::text from messaging.batches b
    union all select to_jsonb(r)::text from messaging.batch_recipients r
    union all select to_jsonb(o)::text from messaging.outbox o`;
  return rows.flatMap(({ row }) => /"v1\.[0-9a-f]{8}\.[^"]+"/.exec(row)?.[0] ?? []);
}
