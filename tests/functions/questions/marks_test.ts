/** A contact is marked where something is asked, and what arrives meanwhile takes no mark away. */

import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { isWaiting } from "../../support/database/sessions.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { runQuestions } from "../../../shared/messages/maintenance.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { createWebhookClient } from "../provider_webhook/webhook_client.ts";
import { ask, listEnds, phone, read, say } from "./question_client.ts";

Deno.test("a question that is asked while a message of its contact is being recorded is answered by the next one", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { admin } = client.stack;
  await say(client, tenant, "oi");
  const { questionId: first } = await ask(client, tenant);
  await say(client, tenant, "a");
  let isAsked = false;
  const recording = client.stack.testDatabase.connect({ max: 1 });
  await recording.unsafe("begin");
  await callFunction(recording, "record_provider_events", {
    ...{ instanceId: tenant.instanceId, sealedProviderConfig: null, payload: "{}" },
    events: [{
      ...{ kind: "message", origin: "inbound", providerMessageId: "MEANWHILE", address: phone },
      ...{ messageType: "text", message: "obrigada", content: null },
    }],
  });
  const asking = ask(client, tenant).finally(() => isAsked = true);
  await waitUntil(async () => isAsked || await isWaiting(admin));
  await recording.unsafe("commit");
  const { questionId: second } = await asking;
  await say(client, tenant, "b");
  assertEquals(await listEnds(client, tenant), [["answered", first], ["answered", second]]);
});

Deno.test("an instance whose pacing is held delays no other one's questions", async () => {
  await using client = await createWebhookClient();
  const { admin } = client.stack;
  const [held, other] = [await client.createTenant(), await client.createTenant()];
  await protect(admin, held.instanceId, { dailyLimit: 5 });
  const questions = [await ask(client, held), await ask(client, other)];
  await admin`
    update messaging.questions set expires_at = clock_timestamp(), due_at = clock_timestamp()`;
  const statuses = async (): Promise<unknown[]> => [
    (await read(client, held, questions[0]!.questionId)).status,
    (await read(client, other, questions[1]!.questionId)).status,
  ];
  await admin.begin(async (transaction) => {
    await transaction`select from messaging.pacing where instance_id = ${held.instanceId} for update`;
    await runQuestions(client.stack.database);
    assertEquals(await statuses(), ["open", "expired"]);
  });
  await runQuestions(client.stack.database);
  assertEquals(await statuses(), ["expired", "expired"]);
});
