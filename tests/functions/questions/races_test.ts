/** A question has one end, whatever meets. */

import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { runQuestions } from "../../../shared/messages/maintenance.ts";
import { createWebhookClient } from "../provider_webhook/webhook_client.ts";
import { ask, listEnds, listSent, phone, read, say } from "./question_client.ts";

Deno.test("of many answers at once one ends the question", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const { questionId } = await ask(client, tenant);
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => say(client, tenant, `resposta ${index}`)),
  );
  assertEquals(await listEnds(client, tenant), [["answered", questionId]]);
  const answering = await client.stack.admin`
    select id from messaging.messages where direction = 'inbound' and question_id = ${questionId}`;
  const { answerMessageId } = await read(client, tenant, questionId);
  assertEquals(answering.map(({ id }) => id), [answerMessageId]);
});

Deno.test("answers, a call's cancel and the question's end at once give one end", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  for (let life = 0; life < 10; life++) {
    await say(client, tenant, "oi");
    const { questionId } = await ask(client, tenant);
    await client.stack.admin`
      update messaging.questions set expires_at = clock_timestamp() + interval '20 milliseconds',
        due_at = clock_timestamp() + interval '20 milliseconds' where id = ${questionId}`;
    await Promise.all([
      say(client, tenant, "a"),
      say(client, tenant, "b"),
      runQuestions(client.stack.database),
      client.stack.messages(tenant, "DELETE", `/questions/${questionId}`),
      runQuestions(client.stack.database),
    ]);
    await letTimePass(client.stack.admin, 1);
    await runQuestions(client.stack.database);
    const ends = await listEnds(client, tenant);
    assertEquals(ends.filter(([, id]) => id === questionId).length, 1);
  }
});

Deno.test("questions that leave at once leave one open", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  await Promise.all(Array.from({ length: 8 }, () => ask(client, tenant)));
  const open = await client.stack.admin`select id from messaging.questions where status = 'open'`;
  assertEquals(open.length, 1);
  assertEquals((await listEnds(client, tenant)).length, 7);
});

Deno.test("a word that comes while the question is being sent answers it once that is known to be accepted", async () => {
  for (const isAccepted of [true, false]) {
    const gate = Promise.withResolvers<void>();
    const calling = Promise.withResolvers<void>();
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    await say(client, tenant, "oi");
    client.stack.provider.answer = async () => {
      calling.resolve();
      await gate.promise;
      return isAccepted
        ? Response.json({ messages: [{ id: "wamid.ASKED" }] })
        : Response.json({ error: { code: 131026, message: "no" } }, { status: 400 });
    };
    const asking = ask(client, tenant);
    await calling.promise;
    await say(client, tenant, "maria@gmail.com");
    assertEquals(await listEnds(client, tenant), []);
    gate.resolve();
    const { questionId } = await asking;
    assertEquals(
      await listEnds(client, tenant),
      isAccepted ? [["answered", questionId]] : [["canceled", questionId, "not_sent"]],
    );
    const [word] = await client.stack.admin`
      select question_id from messaging.messages where message = 'maria@gmail.com'`;
    assertEquals(word!["question_id"], isAccepted ? questionId : null);
  }
});

Deno.test("an answer while a newer question is on its way answers the older one", async () => {
  const gate = Promise.withResolvers<void>();
  const calling = Promise.withResolvers<void>();
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const first = await ask(client, tenant);
  client.stack.provider.answer = async () => {
    calling.resolve();
    await gate.promise;
    return Response.json({ messages: [{ id: "wamid.SECOND" }] });
  };
  const asking = ask(client, tenant);
  await calling.promise;
  await say(client, tenant, "a");
  gate.resolve();
  const second = await asking;
  assertEquals(await listEnds(client, tenant), [["answered", first.questionId]]);
  assertEquals((await read(client, tenant, second.questionId)).status, "open");
});

Deno.test("of two contacts that become one, the question that left last stays open", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const other = "5521912345678";
  const first = await ask(client, tenant);
  const second = await ask(client, tenant, {}, { phone: other });
  const [ids] = await client.stack.admin<{ kept: string; gone: string }[]>`
    select (select id from messaging.contacts where phone = ${phone}) as kept,
      (select id from messaging.contacts where phone = ${other}) as gone`;
  await client.stack.admin`
    select messaging.merge_contacts(kept, gone) from messaging.contacts kept, messaging.contacts gone
    where kept.id = ${ids!.kept} and gone.id = ${ids!.gone}`;
  assertEquals(await listEnds(client, tenant), [["canceled", first.questionId, "replaced"]]);
  await client.receive(tenant, { messageId: "IN1", text: { message: "a" }, momment: Date.now() });
  const { status, contact } = await read(client, tenant, second.questionId);
  assertEquals([status, contact.contactId], ["answered", ids!.kept]);
});

Deno.test("an erasure ends an open question, told without the person, and leaves nothing of it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { questionId, contactId } = await ask(client, tenant, { key: "maria" });
  await client.stack.request(`/contacts-api/contacts/${contactId}`, {
    method: "DELETE",
    headers: { "X-Client-Token": tenant.token },
  });
  assertEquals(await listEnds(client, tenant), [["canceled", questionId, "erased"]]);
  const [event] = await client.stack.admin`
    select data->>'key' as key, data->'contact' as contact, contact_id from messaging.events
    where type = 'question.canceled'`;
  assertEquals({ ...event }, { key: null, contact: null, contact_id: null });
  const rows = await client.stack.admin`select from messaging.questions`;
  assertEquals(rows.length, 0);
});

Deno.test("a reminder that waits is not sent once the answer is recorded, though a worker looks first", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  await ask(client, tenant, { remindAfter: "PT10M", reminder: "E aí?" });
  await letTimePass(stack.admin, 660);
  await runQuestions(stack.database);
  await say(client, tenant, "a");
  const claimed = await stack.database.rpc("claim_due_messages", {
    ...{ maxMessages: 10, leaseSeconds: 30 },
  });
  assertEquals(claimed.messages, []);
  await runQuestions(stack.database);
  await stack.dispatch();
  assertEquals(await listSent(client, tenant), ["Qual é o seu e-mail?"]);
  const [row] = await stack.admin`select due_at from messaging.questions`;
  assertEquals(row!["due_at"], null);
});

Deno.test("an answer while the reminder leaves: one reminder at most, and one end", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const { questionId } = await ask(client, tenant, { remindAfter: "PT10M", reminder: "E aí?" });
  await letTimePass(client.stack.admin, 660);
  await Promise.all([
    runQuestions(client.stack.database),
    say(client, tenant, "a"),
    runQuestions(client.stack.database),
  ]);
  await client.stack.dispatch();
  await runQuestions(client.stack.database);
  assertEquals(await listEnds(client, tenant), [["answered", questionId]]);
  const reminders = (await listSent(client, tenant)).filter((words) => words === "E aí?");
  assertEquals(reminders.length <= 1, true);
});
