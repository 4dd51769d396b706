/** What a call may ask, and where the end of a question is told. */

import { createHmac } from "node:crypto";
import { Buffer } from "node:buffer";
import { assertEquals } from "../../support/assert.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createWebhookClient } from "../provider_webhook/webhook_client.ts";
import { ask, phone, read, say } from "./question_client.ts";

type Json = Readonly<Record<string, unknown>>;

/** What is asked, beside what, and the field that is refused. */
const refused: readonly (readonly [question: Json, message: Json, path: string])[] = [
  [{ accept: "choice" }, {}, "ask.accept"],
  [{ answerWithin: "PT0S" }, {}, "ask.answerWithin"],
  [{ answerWithin: "PT59S" }, {}, "ask.answerWithin"],
  [{ answerWithin: "P31D" }, {}, "ask.answerWithin"],
  [{ answerWithin: "2h" }, {}, "ask.answerWithin"],
  [{ answerWithin: "P" }, {}, "ask.answerWithin"],
  [{ answerWithin: "P1DT" }, {}, "ask.answerWithin"],
  [{ answerWithin: 0 }, {}, "ask.answerWithin"],
  [{ remindAfter: "PT1H" }, {}, "ask.remindAfter"],
  [{ remindAfter: "P2D" }, {}, "ask.remindAfter"],
  [{ reminder: "?" }, {}, "ask.remindAfter"],
  [{ key: "k".repeat(101) }, {}, "ask.key"],
  [{ accept: "colour" }, {}, "ask.accept"],
  [{ notifyUrl: "no url" }, {}, "ask.notifyUrl"],
  [{ notifyUrl: "https://10.0.0.1/x" }, {}, "ask.notifyUrl"],
  [{ notifyUrl: "http://hooks.example.com/" }, {}, "ask.notifyUrl"],
  [
    {},
    { messageType: "location", message: undefined, location: { latitude: 1, longitude: 1 } },
    "ask",
  ],
  [
    {},
    { messageType: "image", message: undefined, mediaUrl: "https://example.com/a.jpg" },
    "message",
  ],
  [
    {},
    {
      ...{ messageType: undefined, message: undefined },
      assignTo: "ana@example.com",
    },
    "ask",
  ],
];

Deno.test("a question that cannot be asked is 400 with its field, and nothing is stored or sent", async () => {
  await using client = await createWebhookClient({ allowsPrivateHosts: false });
  const tenant = await client.createTenant();
  for (const [question, message, path] of refused) {
    const { status, body } = await client.stack.send(tenant, {
      ...{ phone, messageType: "text", message: "Quantos?" },
      ...message,
      ask: { answerWithin: "PT1H", ...question },
    });
    assertEquals(
      [status, body.issues?.[0]?.path],
      [400, path],
      JSON.stringify([question, message]),
    );
  }
  assertEquals(client.stack.provider.requests.length, 0);
  const [stored] = await client.stack.admin`
    select (select count(*)::integer from messaging.messages) as messages,
      (select count(*)::integer from messaging.questions) as questions`;
  assertEquals({ ...stored }, { messages: 0, questions: 0 });
});

Deno.test("the end of a question is told at its address as given, signed, and again until it is taken", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const statuses = [500, 409];
  await using receiver = startHttpDouble(() =>
    new Response(null, { status: statuses.shift() ?? 200 })
  );
  const notifyUrl = `${receiver.baseUrl}/resume/%7Bid%7D?a=1&signature=A%2Bb`;
  const { questionId, notifySecret } = await ask(client, tenant, { notifyUrl, key: "k" });
  await say(client, tenant, "resposta");
  const feed = await client.stack.request(
    "/events-api/events?after=oldest&types=question.answered",
    {
      headers: { "X-Client-Token": tenant.token },
    },
  );
  await client.stack.dispatch();
  await letTimePass(client.stack.admin, 10);
  await client.stack.dispatch();
  await letTimePass(client.stack.admin, 86_400);
  await client.stack.dispatch();
  assertEquals(
    receiver.requests.map(({ path, query }) => path + query),
    Array(2).fill("/resume/%7Bid%7D?a=1&signature=A%2Bb"),
  );
  const [{ headers, text }] = receiver.requests as [typeof receiver.requests[number]];
  const told = JSON.parse(text);
  assertEquals([told], feed.body.items);
  assertEquals(
    receiver.requests.map((request) => request.headers.get("webhook-id")),
    Array(2).fill(told.id),
  );
  assertEquals([told.type, told.data.questionId, told.data.key, told.data.answer], [
    ...["question.answered", questionId, "k"],
    { text: "resposta" },
  ]);
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${text}`;
  const key = Buffer.from(notifySecret.slice("whsec_".length), "base64");
  assertEquals(
    headers.get("webhook-signature"),
    `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  );
  const leaks = await client.stack.admin`
    select from messaging.questions q where to_jsonb(q)::text like ${`%${notifySecret}%`}
    union all
    select from messaging.outbox o where to_jsonb(o)::text like ${`%${notifySecret}%`}
    union all
    select from messaging.idempotency_keys k where to_jsonb(k)::text like ${`%${notifySecret}%`}`;
  assertEquals(leaks.length, 0);
});

Deno.test("a call that is repeated with its key asks once, and shows the same secret", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const body = {
    ...{ phone, messageType: "text", message: "Quantos?" },
    ask: { answerWithin: "PT1H", notifyUrl: "https://hooks.example.com/a" },
  };
  const headers = { "Idempotency-Key": "question-1" };
  const first = await client.stack.send(tenant, body, headers);
  const second = await client.stack.send(tenant, body, headers);
  assertEquals(second.body, first.body);
  assertEquals(first.body.sealedNotify, undefined);
  assertEquals(first.body.notifySecret.startsWith("whsec_"), true);
  const rows = await client.stack.admin`
    select from messaging.questions q
    union all
    select from messaging.idempotency_keys k where to_jsonb(k)::text like ${`%${first.body.notifySecret}%`}`;
  assertEquals(rows.length, 1);
});

Deno.test("a reader waits until the question has ended", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  await say(client, tenant, "oi");
  const { questionId } = await ask(client, tenant);
  const waiting = client.stack.messages(tenant, "GET", `/questions/${questionId}?waitSeconds=20`);
  await say(client, tenant, "a");
  assertEquals((await waiting).body.status, "answered");
  const listed = await client.stack.messages(tenant, "GET", "/questions?status=answered");
  assertEquals(
    listed.body.items,
    [await read(client, tenant, questionId)].map(
      ({ success: _, ...question }) => question,
    ),
  );
  const nobodys = await client.stack.messages(tenant, "GET", `/questions/${crypto.randomUUID()}`);
  assertEquals([nobodys.status, nobodys.body.error], [404, "question_not_found"]);
});

Deno.test("each message of a batch asks, and its recipients name their questions", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const call = (method: string, path: string, body?: Json) =>
    client.stack.request(`/batches-api/batches${path}`, {
      method,
      headers: { "X-Client-Token": tenant.token, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const created = await call("POST", "", {
    message: { messageType: "text", message: "Quantos, {{nome}}?" },
    ask: {
      answerWithin: "PT1H",
      accept: "number",
      key: "quantos",
      notifyUrl: "https://a.example.com/",
    },
    recipients: [{ phone, variables: { nome: "Ana" } }],
  });
  assertEquals(created.status, 201);
  assertEquals(created.body.notifySecret.startsWith("whsec_"), true);
  const { batchId } = created.body;
  await call("POST", `/${batchId}/start`, {});
  await client.stack.dispatch();
  const { body: { items: [recipient] } } = await call("GET", `/${batchId}/recipients`);
  await client.receive(tenant, { messageId: "IN1", text: { message: "12" }, momment: Date.now() });
  const question = await read(client, tenant, recipient.questionId);
  assertEquals([question.status, question.key, question.batchId, question.answer.value], [
    ...["answered", "quantos", batchId, "12"],
  ]);
});
