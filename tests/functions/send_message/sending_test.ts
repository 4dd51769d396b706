import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import type { Database } from "../../../shared/database/database.ts";
import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { answerNever } from "../../support/doubles/http_double.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { createToken, providerSecrets } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { ResultOf } from "../../../shared/database/rpcs.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { findFreePort } from "../../support/free_port.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

Deno.test("POST /send-message sends each of the six types at once and answers with all fields", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const bodies = [
    [{ ...text }, "send-text", { message: "Olá" }],
    [
      { phone, messageType: "image", mediaUrl: "https://a.example.com/a.png", message: "Foto" },
      "send-image",
      { image: "https://a.example.com/a.png", caption: "Foto" },
    ],
    [
      { phone, messageType: "video", mediaUrl: "https://a.example.com/a.mp4", message: "Veja" },
      "send-video",
      { video: "https://a.example.com/a.mp4", caption: "Veja" },
    ],
    [
      { phone, messageType: "audio", mediaUrl: "https://a.example.com/a.mp3", delayTyping: 1_500 },
      "send-audio",
      { audio: "https://a.example.com/a.mp3", delayTyping: 2 },
    ],
    [
      {
        phone,
        messageType: "document",
        mediaUrl: "https://a.example.com/a.pdf",
        mediaFilename: "nota.pdf",
      },
      "send-document/pdf",
      { document: "https://a.example.com/a.pdf", fileName: "nota.pdf" },
    ],
    [
      {
        phone,
        messageType: "option_list",
        message: "Escolha",
        optionList: {
          title: "Menu",
          buttonLabel: "Abrir",
          options: [{ title: "Um" }, { id: "b", title: "Dois", description: "2" }],
        },
      },
      "send-option-list",
      {
        message: "Escolha",
        optionList: {
          title: "Menu",
          buttonLabel: "Abrir",
          options: [
            { id: "1", title: "Um", description: "" },
            { id: "b", title: "Dois", description: "2" },
          ],
        },
      },
    ],
  ] as const;
  for (const [body, verb, wire] of bodies) {
    stack.provider.requests.length = 0;
    const { status, body: answer } = await stack.send(tenant, body);
    assertEquals(status, 200, JSON.stringify(answer));
    const [request] = stack.provider.requests;
    assert(request !== undefined && stack.provider.requests.length === 1);
    assert(request.path.endsWith(verb), request.path);
    assertEquals<unknown>(request.json, { phone, ...wire });
    assertMatch(answer.messageId, uuid);
    assertMatch(answer.contactId, uuid);
    assertMatch(answer.conversationId, uuid);
    assertMatch(answer.providerMessageId, /^provider-/);
    assertEquals(
      { ...answer, messageId: 0, contactId: 0, conversationId: 0, providerMessageId: 0 },
      {
        success: true,
        mode: "sent",
        contactId: 0,
        conversationId: 0,
        messageId: 0,
        providerMessageId: 0,
        status: "sent",
        scheduledFor: null,
        heldBy: null,
        aiAgentPausedUntil: null,
        ...(body.messageType === "option_list" ? { rendering: "native" } : {}),
      },
    );
  }
});

Deno.test("the message is a row before the provider is called", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const seen: unknown[] = [];
  const accept = stack.provider.answer;
  stack.provider.answer = async (request) => {
    seen.push(
      ...await stack.admin`select status, message, card_id, sent_by from messaging.messages`,
    );
    return await accept(request);
  };
  await stack.send(tenant, { ...text, cardId: "card-1", sentBy: "automation" });
  assertEquals(seen.map((row) => ({ ...row as object })), [
    { status: "sending", message: "Olá", card_id: "card-1", sent_by: "automation" },
  ]);
  const [row] = await stack
    .admin`select status, sent_at is not null as has_sent_at from messaging.messages`;
  assertEquals({ ...row }, { status: "sent", has_sent_at: true });
});

Deno.test("a contact is created with origin api, and both spellings of a mobile are one contact under 30 simultaneous calls", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const answers = await Promise.all(
    Array.from(
      { length: 30 },
      (_, index) =>
        stack.send(tenant, { ...text, phone: index % 2 === 0 ? "5511987654321" : "551187654321" }),
    ),
  );
  assertEquals(answers.map((answer) => answer.status), new Array(30).fill(200));
  assertEquals(new Set(answers.map((answer) => answer.body.contactId)).size, 1);
  assertEquals(new Set(answers.map((answer) => answer.body.conversationId)).size, 1);
  const contacts = await stack.admin`
    select c.origin, v.status from messaging.contacts c join messaging.conversations v on v.contact_id = c.id`;
  assertEquals(contacts.map((row) => ({ ...row })), [{ origin: "api", status: "open" }]);
});

Deno.test("the same phone on two instances is two contacts", async () => {
  await using stack = await startMessagingStack();
  const [one, other] = [await stack.createTenant(), await stack.createTenant()];
  const [a, b] = [await stack.send(one, text), await stack.send(other, text)];
  assert(a.body.contactId !== b.body.contactId);
});

Deno.test("an instance is named by UUID, business id or embed key, and by the provider's id where it has no business id", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const plain = await stack.createTenant({ businessInstanceId: null });
  const names: [typeof tenant, string][] = [
    [tenant, tenant.instanceId],
    [tenant, tenant.instanceId.toUpperCase()],
    [tenant, tenant.businessInstanceId ?? ""],
    [tenant, tenant.embedKey],
    [plain, plain.gatewayInstanceId ?? ""],
  ];
  for (const [owner, instanceId] of names) {
    const answer = await stack.send(owner, { ...text, instanceId });
    assertEquals(answer.status, 200, instanceId);
  }
});

Deno.test("an instance that the token does not open is not found, the same as one that does not exist", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const neighbour = await stack.createTenant({ workspaceId: tenant.workspaceId });
  const bodies = [];
  for (
    const instanceId of [
      neighbour.instanceId,
      neighbour.embedKey,
      neighbour.businessInstanceId,
      crypto.randomUUID(),
      "emb_nothing",
      "nothing",
      `${tenant.instanceId} `,
    ]
  ) {
    const answer = await stack.send(tenant, { ...text, instanceId });
    assertEquals([answer.status, answer.body.error], [404, "Instance not found"]);
    bodies.push(JSON.stringify(answer.body));
  }
  assertEquals(new Set(bodies).size, 1);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("an expired, a revoked and an unknown token are refused alike; a second live one opens", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const past = new Date(Date.now() - 1_000);
  const expired = await createToken(stack.admin, tenant.instanceId, { expiresAt: past });
  const revoked = await createToken(stack.admin, tenant.instanceId, { revokedAt: past });
  for (const token of [expired.token, revoked.token, "mia_nothing", `${tenant.token}x`]) {
    const answer = await stack.send({ ...tenant, token }, text);
    assertEquals([answer.status, answer.body.error], [401, "invalid_client_token"]);
  }
  const second = await createToken(stack.admin, tenant.instanceId, {
    expiresAt: new Date(Date.now() + 60_000),
  });
  assertEquals((await stack.send({ ...tenant, token: second.token }, text)).status, 200);
  await letTimePass(stack.admin, 61);
  assertEquals((await stack.send({ ...tenant, token: second.token }, text)).status, 401);
  const [used] = await stack.admin`
    select last_used_at is not null as used from messaging.client_tokens where id = ${second.tokenId}`;
  assertEquals(used?.["used"], true);
});

Deno.test("a blocked contact is refused, by either spelling, but may be assigned", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, text);
  await stack.admin`update messaging.contacts set is_blocked = true`;
  for (const rest of [{}, { queued: true }, { delayMessage: 5 }, { phone: "551187654321" }]) {
    const answer = await stack.send(tenant, { ...text, ...rest });
    assertEquals([answer.status, answer.body.error], [409, "contact_blocked"]);
  }
  const [count] = await stack.admin`select count(*)::int as messages from messaging.messages`;
  assertEquals(count?.["messages"], 1);
});

Deno.test("on the official channel a message outside the 24-hour window is refused before sending, where that is known", async () => {
  await using stack = await startMessagingStack();
  const official = await stack.createTenant({ provider: "whatsapp_cloud" });
  const gateway = await stack.createTenant();
  for (const tenant of [official, gateway]) {
    assertEquals((await stack.send(tenant, text)).status, 200, "unknown last message");
  }
  await stack
    .admin`update messaging.contacts set last_inbound_at = now() - interval '23 hours 59 min'`;
  assertEquals((await stack.send(official, text)).status, 200);
  await letTimePass(stack.admin, 120);
  stack.provider.requests.length = 0;
  const refused = await stack.send(official, text);
  assertEquals([refused.status, refused.body.error], [409, "outside_conversation_window"]);
  assertEquals(stack.provider.requests.length, 0);
  assertEquals((await stack.send(gateway, text)).status, 200);
});

Deno.test("the provider's 131047 reads as outside_conversation_window and is kept as failed", async () => {
  await using stack = await startMessagingStack();
  const official = await stack.createTenant({ provider: "whatsapp_cloud" });
  stack.provider.answer = () =>
    Response.json({ error: { code: 131047, message: "Re-engagement message" } }, { status: 400 });
  const answer = await stack.send(official, text);
  assertEquals([answer.status, answer.body.error], [409, "outside_conversation_window"]);
  const state = await stack.messages(official, "GET", `/messages/${answer.body.messageId}`);
  assertEquals([state.body.status, state.body.lastError.code], ["failed", "131047"]);
});

Deno.test("the address that the provider proves becomes where messages go", async () => {
  await using stack = await startMessagingStack();
  const official = await stack.createTenant({ provider: "whatsapp_cloud" });
  let waId = "551187654321";
  stack.provider.answer = () =>
    Response.json({ contacts: [{ wa_id: waId }], messages: [{ id: crypto.randomUUID() }] });
  const sendTo = async (): Promise<unknown> => {
    const answer = await stack.send(official, text);
    assertEquals(answer.status, 200);
    return stack.provider.requests.at(-1)?.json["to"];
  };
  assertEquals(await sendTo(), "5511987654321");
  waId = "5511987654321";
  assertEquals(await sendTo(), "551187654321");
  waId = "551187654321";
  assertEquals(await sendTo(), "5511987654321", "the last proven one");
  assertEquals(await sendTo(), "551187654321", "proven again within the day");
});

Deno.test("while no address is proven a message goes to the phone as its own call gave it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const spellings = ["551187654321", "5511987654321", "551187654321"];
  for (const phone of spellings) await stack.send(tenant, { ...text, phone });
  for (const phone of spellings) await stack.send(tenant, { ...text, phone, delayMessage: 0.001 });
  await stack.dispatch();
  const called = stack.provider.requests.map(({ json }) => json["phone"]);
  assertEquals(called.slice(0, 3), spellings);
  assertEquals(called.slice(3).sort(), spellings.toSorted());
  assertEquals((await stack.admin`select from messaging.contacts`).length, 1);
});

Deno.test("a refusal of the provider is 502 with its code and text, retryable or not, and no credential", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const leak = `bad token ${providerSecrets.join(" ")} for ${phone}`;
  for (
    const [status, retryable] of [[400, false], [403, false], [404, false], [429, true], [
      503,
      true,
    ]] as const
  ) {
    stack.provider.answer = () => Response.json({ error: leak }, { status });
    const answer = await stack.send(tenant, text);
    assertEquals([answer.status, answer.body.error], [502, "provider_send_failed"]);
    assertEquals(answer.body.retryable, retryable, `${status}`);
    assertEquals(answer.body.details.code, `http_${status}`);
    assertMatch(answer.body.details.message, /bad token/);
    assertEquals([answer.body.status, "mode" in answer.body], ["failed", false]);
    for (const secret of ["zapi-secret-token", "zapi-secret-client"]) {
      assertFalse(JSON.stringify(answer.body).includes(secret));
    }
    const state = await stack.messages(tenant, "GET", `/messages/${answer.body.messageId}`);
    assertEquals([state.body.status, state.body.attempts], ["failed", 1]);
  }
  assertEquals(stack.provider.requests.length, 5, "an immediate send is tried once");
  const logged = JSON.stringify(stack.logLines);
  for (const secret of [...providerSecrets, phone, "Olá", tenant.token]) {
    assertFalse(logged.includes(secret), secret);
  }
});

Deno.test("a provider that cannot be reached is 502 and may be retried", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ baseUrl: `http://127.0.0.1:${findFreePort()}` });
  const answer = await stack.send(tenant, text);
  assertEquals([answer.status, answer.body.error, answer.body.retryable], [
    502,
    "provider_send_failed",
    true,
  ]);
});

Deno.test("a time-out after the request was written is 504, kept as unconfirmed and not sent again", async () => {
  const providerTimeoutMs = 20_123;
  using timeouts = holdTimers(providerTimeoutMs);
  await using stack = await startMessagingStack({ providerTimeoutMs });
  const tenant = await stack.createTenant();
  stack.provider.answer = () => {
    timeouts.end();
    return answerNever();
  };
  const answer = await stack.send(tenant, text);
  assertEquals([answer.status, answer.body.error], [504, "provider_outcome_unknown"]);
  assertFalse("mode" in answer.body, "whether it was sent is what nobody knows");
  assertMatch(answer.body.messageId, uuid);
  const path = `/messages/${answer.body.messageId}`;
  assertEquals((await stack.messages(tenant, "GET", path)).body.status, "unconfirmed");
  await letTimePass(stack.admin, 3_600);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 1);
  assertEquals((await stack.messages(tenant, "GET", path)).body.status, "unconfirmed");
});

Deno.test("what is no answer of the database's is 503 service_unavailable, and no provider is called on it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const foreign of [{}, { message: "maintenance" }, { messageId: null, status: "ok" }]) {
    const database: Database = {
      ...stack.database,
      rpc: (name, request) =>
        name === "accept_message"
          ? Promise.resolve(foreign as ResultOf<typeof name>)
          : stack.database.rpc(name, request),
    };
    const app = createSendMessageApp({ ...stack.services, database });
    const answer = await callApp(app, "/send-message", {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify({ instanceId: tenant.instanceId, ...text }),
    });
    assertEquals([answer.status, answer.headers.get("retry-after")], [503, "1"]);
    assertEquals((await answer.json()).error, "service_unavailable");
  }
  assertEquals(stack.provider.requests, []);
});

Deno.test("a send whose process dies before the record is unconfirmed when its claim ends, and never sent again", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const accepted = await stack.database.rpc(
    "accept_message",
    {
      instanceId: tenant.instanceId,
      phone,
      idempotency: null,
      assignment: null,
      agent: null,
      message: { messageType: "text", message: "Olá", content: null },
      delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
    },
  );
  assert("messageId" in accepted);
  const path = `/messages/${accepted.messageId}`;
  await stack.dispatch();
  assertEquals((await stack.messages(tenant, "GET", path)).body.status, "sending");
  await letTimePass(stack.admin, 31);
  const report = await stack.dispatch();
  assertEquals(report.expiredClaims, 1);
  assertEquals((await stack.messages(tenant, "GET", path)).body.status, "unconfirmed");
  assertEquals(stack.provider.requests.length, 0);
});
