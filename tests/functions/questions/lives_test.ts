/** What becomes of a question, on the channel that has a conversation window. */

import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { runQuestions } from "../../../shared/messages/maintenance.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";
import { ask, listEnds, listSent, phone, read, say } from "./question_client.ts";

async function createOfficial(client: WebhookClient): Promise<Tenant> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  // Opens the conversation window.
  await say(client, tenant, "oi");
  return tenant;
}

Deno.test("an answer ends its question once, with the words and the value, in records and one event", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId, messageId } = await ask(client, tenant, { accept: "email", key: "signup" });
  const asked = await read(client, tenant, questionId);
  assertEquals([asked.status, asked.key, asked.messageId], ["open", "signup", messageId]);
  const record = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(record.body.question, { questionId, status: "open" });

  await say(client, tenant, "não sei");
  assertEquals((await read(client, tenant, questionId)).status, "open");
  await say(client, tenant, "Maria@gmail.com.");
  await say(client, tenant, "outra@gmail.com");

  const answered = await read(client, tenant, questionId);
  assertEquals(answered.status, "answered");
  assertEquals(answered.answer, { text: "Maria@gmail.com.", value: "maria@gmail.com" });
  assertEquals(await listEnds(client, tenant), [["answered", questionId]]);
  const answering = await client.stack.messages(
    tenant,
    "GET",
    `/messages/${answered.answerMessageId}`,
  );
  assertEquals([answering.body.message, answering.body.answers], ["Maria@gmail.com.", questionId]);
  const [contact] = await client.stack.admin`select awaits_answer from messaging.contacts`;
  assertEquals(contact!["awaits_answer"], false);
});

Deno.test("a typed word chooses of native options, though another message's options are newer", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const buttons = [{ id: "yes", title: "Sim" }, { id: "no", title: "Não" }];
  const { questionId } = await ask(client, tenant, {}, {
    ...{ messageType: "buttons", message: "Confirma?", buttons },
  });
  await say(client, tenant, "talvez");
  await say(client, tenant, "sim!");
  const { status, accept, answer, answerMessageId } = await read(client, tenant, questionId);
  assertEquals([status, accept], ["answered", "choice"]);
  assertEquals(answer, { text: "sim!", choice: { id: "yes", title: "Sim" } });
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${answerMessageId}`);
  assertEquals([body.messageType, body.choice.id, body.message], ["choice", "yes", "sim!"]);
});

Deno.test("a question that nobody answers reminds once, then expires", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, { remindAfter: "PT10M" });
  await runQuestions(client.stack.database);
  await letTimePass(client.stack.admin, 660);
  await runQuestions(client.stack.database);
  await client.stack.dispatch();
  await runQuestions(client.stack.database);
  const question = "Qual é o seu e-mail?";
  assertEquals(await listSent(client, tenant), [question, question]);
  assertEquals((await read(client, tenant, questionId)).reminderStatus, "sent");
  await letTimePass(client.stack.admin, 3_000);
  await runQuestions(client.stack.database);
  await runQuestions(client.stack.database);
  await say(client, tenant, "tarde");
  const { status, reason, answer } = await read(client, tenant, questionId);
  assertEquals([status, reason, answer], ["expired", null, null]);
  assertEquals(await listEnds(client, tenant), [["expired", questionId]]);
});

Deno.test("a reminder goes inside the conversation window alone", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, { remindAfter: "P2D", answerWithin: "P3D" });
  await letTimePass(client.stack.admin, 2 * 86_400 + 60);
  await runQuestions(client.stack.database);
  assertEquals((await read(client, tenant, questionId)).reminderStatus, "outside_window");
  assertEquals((await listSent(client, tenant)).length, 1);
});

Deno.test("a reminder that is held waits for nobody who has answered", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, { remindAfter: "PT10M", reminder: "E aí?" });
  await letTimePass(client.stack.admin, 660);
  await runQuestions(client.stack.database);
  await say(client, tenant, "pronto");
  await runQuestions(client.stack.database);
  await client.stack.dispatch();
  assertEquals((await read(client, tenant, questionId)).status, "answered");
  assertEquals(await listSent(client, tenant), ["Qual é o seu e-mail?"]);
  const [reminder] = await client.stack.admin`
    select status from messaging.messages where message = 'E aí?'`;
  assertEquals(reminder!["status"], "canceled");
});

Deno.test("words for what does not fit go once, and the question stays open", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, { accept: "number", onInvalid: "Só números." });
  await say(client, tenant, "dois");
  await say(client, tenant, "três");
  await client.stack.dispatch();
  assertEquals(await listSent(client, tenant), ["Qual é o seu e-mail?", "Só números."]);
  await say(client, tenant, "1.234,50");
  assertEquals((await read(client, tenant, questionId)).answer, {
    text: "1.234,50",
    value: "1234.50",
  });
});

Deno.test("an answer may quote the words for what does not fit", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, { accept: "number", onInvalid: "Só números." });
  await say(client, tenant, "dois");
  await client.stack.dispatch();
  const [words] = await client.stack.admin<{ id: string }[]>`
    select provider_message_id as id from messaging.messages where message = 'Só números.'`;
  await say(client, tenant, "2", { context: { id: words!.id } });
  assertEquals((await read(client, tenant, questionId)).status, "answered");
});

Deno.test("the next question that leaves replaces an open one", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const first = await ask(client, tenant);
  const second = await ask(client, tenant);
  await say(client, tenant, "b");
  assertEquals(await listEnds(client, tenant), [
    ["canceled", first.questionId, "replaced"],
    ["answered", second.questionId],
  ]);
});

Deno.test("an opt-out keyword ends the question, and answers none", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, { accept: "any" });
  await say(client, tenant, "PARAR");
  assertEquals(await listEnds(client, tenant), [["canceled", questionId, "opted_out"]]);
});

Deno.test("a call cancels a question, and its message stays", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId, messageId } = await ask(client, tenant);
  for (let time = 0; time < 2; time++) {
    const { body } = await client.stack.messages(tenant, "DELETE", `/questions/${questionId}`);
    assertEquals([body.status, body.reason], ["canceled", "canceled"]);
  }
  assertEquals(await listEnds(client, tenant), [["canceled", questionId, "canceled"]]);
  const message = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals([message.body.status, message.body.question.status], ["sent", "canceled"]);
});

Deno.test("a question whose message is refused, canceled or expires ends as not sent", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const later = { sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const canceled = await ask(client, tenant, {}, later);
  assertEquals((await read(client, tenant, canceled.questionId)).status, "waiting");
  await client.stack.messages(tenant, "DELETE", `/messages/${canceled.messageId}`);
  const failed = await ask(client, tenant);
  await client.cloud(tenant, {
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "messages",
        value: {
          messaging_product: "whatsapp",
          statuses: [{
            ...{ id: failed.providerMessageId, status: "failed", recipient_id: phone },
            timestamp: `${Math.floor(Date.now() / 1_000)}`,
            errors: [{ code: 131026, title: "Message undeliverable" }],
          }],
        },
      }],
    }],
  });
  assertEquals(await listEnds(client, tenant), [
    ["canceled", canceled.questionId, "not_sent"],
    ["canceled", failed.questionId, "not_sent"],
  ]);
});

Deno.test("a late failure of an answered question's message changes nothing of it", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId, messageId } = await ask(client, tenant);
  await say(client, tenant, "a");
  await client.stack.admin`
    update messaging.messages set status = 'failed', failed_at = now() where id = ${messageId}`;
  assertEquals(await listEnds(client, tenant), [["answered", questionId]]);
});

Deno.test("what was written before the end answers, though it is recorded after, while nothing was told", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant);
  await letTimePass(client.stack.admin, 3_700);
  const at = (secondsAgo: number) => ({
    timestamp: `${Math.floor(Date.now() / 1_000) - secondsAgo}`,
  });
  await say(client, tenant, "depois", at(10));
  assertEquals((await read(client, tenant, questionId)).status, "open");
  await say(client, tenant, "antes", at(300));
  assertEquals((await read(client, tenant, questionId)).answer, { text: "antes" });
});

Deno.test("what was written before the question answers it not", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant);
  const timestamp = `${Math.floor(Date.now() / 1_000) - 30}`;
  await say(client, tenant, "antes", { timestamp });
  assertEquals((await read(client, tenant, questionId)).status, "open");
});

Deno.test("a message that quotes another one answers no question", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId, providerMessageId } = await ask(client, tenant);
  await say(client, tenant, "a", { context: { id: "wamid.OTHER" } });
  assertEquals((await read(client, tenant, questionId)).status, "open");
  await say(client, tenant, "b", { context: { id: providerMessageId } });
  assertEquals((await read(client, tenant, questionId)).answer, { text: "b" });
});

Deno.test("a question that waits in the queue opens when its message leaves", async () => {
  await using client = await createWebhookClient();
  const tenant = await createOfficial(client);
  const { questionId } = await ask(client, tenant, {}, { queued: true, delayMessage: 60 });
  await say(client, tenant, "cedo");
  assertEquals((await read(client, tenant, questionId)).status, "waiting");
  await letTimePass(client.stack.admin, 61);
  await client.stack.dispatch();
  assertEquals((await read(client, tenant, questionId)).status, "open");
  await say(client, tenant, "agora");
  assertEquals((await read(client, tenant, questionId)).answer, { text: "agora" });
});
