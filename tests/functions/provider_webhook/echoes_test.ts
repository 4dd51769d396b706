/** What providers report as typed on the phone: a person's message, or an echo of ours. */
import { acceptMessage, answerUnknown } from "../../support/doubles/http_double.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { isWaiting } from "../../support/database/sessions.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
  type StoredMessage,
  type WebhookClient,
} from "./webhook_client.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";

const text = { phone, messageType: "text", message: "oi" };
const lid = "81896604192873@lid";

async function pausedUntil(client: WebhookClient, tenant: Tenant): Promise<unknown> {
  const [row] = await client.stack.admin`
    select paused_until from messaging.agent_pauses where instance_id = ${tenant.instanceId}`;
  return row?.["paused_until"];
}

/** Status and provider id of each message, in the order of their recording. */
async function outcomes(client: WebhookClient, tenant: Tenant): Promise<readonly unknown[]> {
  const stored = await client.messages(tenant);
  return stored.map((message) => [message["status"], message["provider_message_id"]]);
}

async function statusOf(client: WebhookClient, messageId: string): Promise<readonly unknown[]> {
  const [row] = await client.stack.admin`
    select status, provider_message_id from messaging.messages where id = ${messageId}`;
  return [row?.["status"], row?.["provider_message_id"]];
}

Deno.test("an echo of a message of ours that is in flight makes no second one and pauses no agent", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await createAgent(client.stack.admin, tenant.instanceId);
  const echo = evolutionMessage({ conversation: "Posso ajudar?" }, { fromMe: true, id: "OWN1" });
  client.stack.provider.answer = async () => {
    assertEquals((await client.evolution(tenant, echo)).status, 200);
    return Response.json({ key: { id: "OWN1", fromMe: true } }, { status: 201 });
  };
  const sent = await client.stack.send(tenant, {
    ...{ phone, messageType: "text", message: "Posso ajudar?", sentBy: "ai_agent" },
  });
  assertEquals(sent.status, 200);
  assertEquals((await client.evolution(tenant, echo)).body.recorded, 0);
  const stored = await client.messages(tenant);
  assertEquals(stored.map((row) => [row["status"], row["provider_message_id"]]), [
    ["sent", "OWN1"],
  ]);
  assertEquals(await pausedUntil(client, tenant), undefined);
});

Deno.test("an echo settles the unconfirmed message that it is", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  client.stack.provider.answer = answerUnknown;
  const sent = await client.stack.send(tenant, { phone, messageType: "text", message: "oi" });
  assertEquals(sent.status, 504);
  await client.evolution(
    tenant,
    evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "OWN1" }),
  );
  const stored = await client.messages(tenant);
  assertEquals(stored.map((row) => [row["status"], row["provider_message_id"]]), [
    ["sent", "OWN1"],
  ]);
});

Deno.test("an echo settles what has been in doubt for less than 15 minutes; later the words are a person's", async () => {
  for (
    const [seconds, expected] of [
      [14 * 60, [["sent", "OWN1"]]],
      [15 * 60, [["unconfirmed", null], ["sent", "OWN1"]]],
    ] as const
  ) {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider: "evolution" });
    client.stack.provider.answer = answerUnknown;
    await client.stack.send(tenant, text);
    await letTimePass(client.stack.admin, seconds);
    const key = { fromMe: true, id: "OWN1" };
    await client.evolution(tenant, evolutionMessage({ conversation: "oi" }, key));
    assertEquals<readonly unknown[]>(await outcomes(client, tenant), expected);
  }
});

for (const when of ["during its call", "after it"]) {
  Deno.test(`the echo of a message that has waited for days settles it, ${when}`, async () => {
    await using client = await createWebhookClient();
    const { stack } = client;
    const tenant = await client.createTenant({ provider: "evolution" });
    await createAgent(stack.admin, tenant.instanceId);
    const echo = evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "OWN1" });
    stack.provider.answer = async () => {
      if (when === "during its call") await client.evolution(tenant, echo);
      return new Response(null, { status: 500 });
    };
    const days = 3 * 86_400;
    const sendAt = new Date(Date.now() + days * 1_000).toISOString();
    await stack.send(tenant, { ...text, sentBy: "ai_agent", sendAt });
    await letTimePass(stack.admin, days + 1);
    await stack.dispatch();
    if (when === "after it") await client.evolution(tenant, echo);
    assertEquals(await outcomes(client, tenant), [["sent", "OWN1"]]);
    assertEquals(await pausedUntil(client, tenant), undefined);
  });
}

Deno.test("an echo that may be any of several messages is attributed to none", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  const first = await client.stack.send(tenant, text);
  assertEquals(first.body.status, "unconfirmed");
  client.stack.provider.answer = async () => {
    const echo = { fromMe: true, messageId: "GATEWAY2", text: { message: text.message } };
    assertEquals((await client.receive(tenant, echo)).status, 200);
    return Response.json({ zaapId: "GATEWAY2", messageId: "GATEWAY2", id: "GATEWAY2" });
  };
  const second = await client.stack.send(tenant, text);
  const stored = await client.messages(tenant);
  assertEquals(
    stored.map((message) => [message["id"], message["status"], message["provider_message_id"]])
      .sort(),
    [
      [first.body.messageId, "unconfirmed", null],
      [second.body.messageId, "sent", "GATEWAY2"],
    ].sort(),
  );
});

Deno.test("a delivery event that comes before the echo of its message counts once that is known", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  await client.stack.send(tenant, text);
  for (const id of ["OURS", "TYPED"]) {
    await client.zapi(tenant, {
      type: "MessageStatusCallback",
      status: "RECEIVED",
      ids: [id],
      momment: Date.now(),
    });
  }
  const echo = { fromMe: true };
  await client.receive(tenant, { ...echo, messageId: "OURS", text: { message: text.message } });
  await client.receive(tenant, { ...echo, messageId: "TYPED", text: { message: "da loja" } });
  const stored = await client.messages(tenant);
  assertEquals(
    stored.map((message) => [message["provider_message_id"], message["status"]]),
    [["OURS", "delivered"], ["TYPED", "delivered"]],
  );
});

Deno.test("what a person certainly typed is theirs, though a message of ours in doubt says the same", async () => {
  const typed = {
    zapi: (client: WebhookClient, tenant: Tenant) =>
      client.receive(tenant, {
        ...{ messageId: "TYPED", fromMe: true, fromApi: false, text: { message: "oi" } },
      }),
    whatsapp_cloud: (client: WebhookClient, tenant: Tenant) => {
      const { from: _, ...message } = cloudText("TYPED", "oi", { to: phone });
      const change = { field: "smb_message_echoes", value: { message_echoes: [message] } };
      return client.cloud(tenant, {
        object: "whatsapp_business_account",
        entry: [{ changes: [change] }],
      });
    },
  };
  for (const provider of ["zapi", "whatsapp_cloud"] as const) {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider });
    await createAgent(client.stack.admin, tenant.instanceId);
    client.stack.provider.answer = answerUnknown;
    await client.stack.send(tenant, { ...text, sentBy: "ai_agent" });
    assertEquals((await typed[provider](client, tenant)).status, 200);
    assertEquals(await outcomes(client, tenant), [["unconfirmed", null], ["sent", "TYPED"]]);
    assert(await pausedUntil(client, tenant) !== undefined, provider);
  }
});

Deno.test("each echo settles one of the messages in doubt that it may be", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  for (let count = 0; count < 2; count++) await client.stack.send(tenant, text);
  for (const id of ["OWN1", "OWN2"]) {
    await client.evolution(
      tenant,
      evolutionMessage({ conversation: "oi" }, { fromMe: true, id }),
    );
  }
  assertEquals(await outcomes(client, tenant), [["sent", "OWN1"], ["sent", "OWN2"]]);
});

Deno.test("an echo is known by its words, whatever white space the gateway took away", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  await client.stack.send(tenant, { ...text, message: " Bom  dia\n" });
  const echo = evolutionMessage({ conversation: "Bom dia" }, { fromMe: true, id: "OWN1" });
  await client.evolution(tenant, echo);
  assertEquals(await outcomes(client, tenant), [["sent", "OWN1"]]);
});

Deno.test("a photo without words that a person sends is no message of ours in doubt", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  await client.stack.send(tenant, {
    ...{ phone, messageType: "image", mediaUrl: "https://files.example.com/a.jpg" },
  });
  const photo = { imageMessage: { url: "https://mmg.whatsapp.net/a.enc", mimetype: "image/jpeg" } };
  await client.evolution(tenant, evolutionMessage(photo, { fromMe: true, id: "TYPED" }));
  assertEquals(await outcomes(client, tenant), [["unconfirmed", null], ["sent", "TYPED"]]);
});

Deno.test("an audio file in flight is known by the voice message that the gateway makes of it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const audioMessage = {
    ...{ url: "https://mmg.whatsapp.net/a.enc", mimetype: "audio/ogg; codecs=opus", ptt: true },
  };
  client.stack.provider.answer = async () => {
    await client.evolution(
      tenant,
      evolutionMessage({ audioMessage }, { fromMe: true, id: "OWN1" }),
    );
    return new Response(null, { status: 500 });
  };
  await client.stack.send(tenant, {
    ...{ phone, messageType: "audio", mediaUrl: "https://files.example.com/a.mp3" },
  });
  assertEquals(await outcomes(client, tenant), [["sent", "OWN1"]]);
});

Deno.test("an echo under a hidden identity, before the answer, makes no second contact and no second message", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await createAgent(client.stack.admin, tenant.instanceId);
  const key = { remoteJid: lid, fromMe: true, id: "OWN1" };
  client.stack.provider.answer = async () => {
    await client.evolution(tenant, evolutionMessage({ conversation: "oi" }, key));
    await client.evolution(tenant, {
      event: "messages.update",
      data: [{ keyId: "OWN1", remoteJid: lid, fromMe: true, status: "READ" }],
    });
    return Response.json({ key: { id: "OWN1", fromMe: true } }, { status: 201 });
  };
  const sent = await client.stack.send(tenant, { ...text, sentBy: "ai_agent" });
  assertEquals(await outcomes(client, tenant), [["read", "OWN1"]]);
  const [message] = await client.messages(tenant);
  assertEquals(message?.["id"], sent.body.messageId);
  assertEquals(await pausedUntil(client, tenant), undefined);
  client.stack.provider.answer = acceptMessage;
  await client.evolution(
    tenant,
    evolutionMessage({ conversation: "quero" }, { remoteJid: lid, id: "IN1" }),
  );
  const contacts = await client.stack.admin`select phone from messaging.contacts`;
  assertEquals(contacts.map((contact) => contact["phone"]), [phone]);
});

Deno.test("an echo counts for the message in flight, and for another one in doubt when the answer tells otherwise", async () => {
  for (
    const [answered, expected] of [
      [500, [["unconfirmed", null], ["sent", "OWN1"]]],
      [201, [["sent", "OWN1"], ["sent", "OWN2"]]],
    ] as const
  ) {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider: "evolution" });
    client.stack.provider.answer = () => new Response(null, { status: 500 });
    await client.stack.send(tenant, text);
    client.stack.provider.answer = async () => {
      const echo = evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "OWN1" });
      await client.evolution(tenant, echo);
      return Response.json({ key: { id: "OWN2", fromMe: true } }, { status: answered });
    };
    await client.stack.send(tenant, text);
    assertEquals<readonly unknown[]>(await outcomes(client, tenant), expected);
  }
});

Deno.test("a retried message knows its own echo", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  client.stack.provider.answer = () => Response.json({ key: { id: "OWN1" } }, { status: 201 });
  const { body } = await client.stack.send(tenant, text);
  await client.evolution(tenant, {
    event: "messages.update",
    data: [{ keyId: "OWN1", remoteJid: `${phone}@s.whatsapp.net`, fromMe: true, status: "ERROR" }],
  });
  client.stack.provider.answer = async () => {
    const echo = evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "OWN2" });
    await client.evolution(tenant, echo);
    return new Response(null, { status: 500 });
  };
  await client.stack.messages(tenant, "POST", `/messages/${body.messageId}/retry`);
  await client.stack.dispatch();
  assertEquals(await outcomes(client, tenant), [["sent", "OWN2"]]);
});

Deno.test("an echo of another message, with its delivery, does not move the one in flight", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  await client.stack.send(tenant, text);
  client.stack.provider.answer = async () => {
    const echo = { messageId: "OWN1", fromMe: true, text: { message: "oi" } };
    for (let count = 0; count < 2; count++) await client.receive(tenant, echo);
    await client.zapi(tenant, {
      type: "MessageStatusCallback",
      status: "RECEIVED",
      ids: ["OWN1"],
      momment: Date.now(),
    });
    return Response.json({ zaapId: "Z", messageId: "OWN2", id: "OWN2" });
  };
  await client.stack.send(tenant, text);
  assertEquals(await outcomes(client, tenant), [["delivered", "OWN1"], ["sent", "OWN2"]]);
});

Deno.test("what turns out not to be our echo was a person's, and pauses the agent", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await createAgent(client.stack.admin, tenant.instanceId);
  for (const [status, ours] of [[201, ["sent", "OWN1"]], [400, ["failed", null]]] as const) {
    await client.stack.admin`delete from messaging.messages`;
    await client.stack.admin`delete from messaging.agent_pauses`;
    client.stack.provider.answer = async () => {
      const echo = evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "TYPED" });
      await client.evolution(tenant, echo);
      return Response.json({ key: { id: "OWN1" } }, { status });
    };
    await client.stack.send(tenant, { ...text, sentBy: "ai_agent" });
    assertEquals<readonly unknown[]>(await outcomes(client, tenant), [ours, ["sent", "TYPED"]]);
    assert(await pausedUntil(client, tenant) !== undefined);
  }
});

Deno.test("an echo that a message has kept is recorded where the instance keeps denials of erased persons", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "evolution" });
  await stack.admin`
    insert into messaging.kept_denials (instance_id, identity_hash)
    values (${tenant.instanceId}, 'of somebody else')`;
  for (const [status, ours] of [[201, ["sent", "OWN1"]], [400, ["failed", null]]] as const) {
    await stack.admin`delete from messaging.messages`;
    stack.provider.answer = async () => {
      const key = { fromMe: true, id: "TYPED", remoteJidAlt: lid };
      const echo = await client.evolution(tenant, evolutionMessage({ conversation: "oi" }, key));
      assertEquals([echo.status, echo.body.recorded], [200, 1]);
      return Response.json({ key: { id: "OWN1" } }, { status });
    };
    await stack.send(tenant, text);
    assertEquals<readonly unknown[]>(await outcomes(client, tenant), [ours, ["sent", "TYPED"]]);
  }
  // The end of a claim proves the message by its echo, and ends all that have lapsed.
  await stack.admin`delete from messaging.messages`;
  const { body } = await stack.send(tenant, { ...text, delayMessage: 60 });
  await letTimePass(stack.admin, 61);
  await stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 30 });
  const key = { fromMe: true, id: "OWN2" };
  await client.evolution(tenant, evolutionMessage({ conversation: "oi" }, key));
  await letTimePass(stack.admin, 31);
  assertEquals(await stack.database.rpc("expire_claims", { maxMessages: 10 }), { expired: 1 });
  assertEquals(await statusOf(client, body.messageId), ["sent", "OWN2"]);
});

Deno.test("an echo that meets the recording of an answer is given to the next message in doubt", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const { admin, database } = client.stack;
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  await client.stack.send(tenant, text);
  const { body } = await client.stack.send(tenant, { ...text, delayMessage: 1 });
  await letTimePass(admin, 2);
  const { messages: [claim] } = await database.rpc(
    "claim_due_messages",
    { maxMessages: 1, leaseSeconds: 30 },
  );
  const result = {
    ...{ messageId: body.messageId, claimToken: claim?.claimToken },
    ...{ outcome: "accepted", providerMessageId: "OWN2" },
  };
  const isSettled = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const settling = admin.begin(async (sql) => {
    await sql`select public.settle_messages(${JSON.stringify({ results: [result] })}::text::jsonb)`;
    isSettled.resolve();
    await letGo.promise;
  });
  await isSettled.promise;
  const echo = evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "OWN1" });
  const echoing = client.evolution(tenant, echo);
  await waitUntil(() => isWaiting(admin), { what: "the echo to wait for the settling" });
  letGo.resolve();
  await Promise.all([settling, echoing]);
  assertEquals(await outcomes(client, tenant), [["sent", "OWN1"], ["sent", "OWN2"]]);
});

Deno.test("a message that an echo settles left when the echo says, or when its call was given up", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  for (const message of ["um", "dois"]) await client.stack.send(tenant, { ...text, message });
  await letTimePass(client.stack.admin, 600);
  // As after a call that timed out after a minute.
  await client.stack
    .admin`update messaging.messages set created_at = created_at - interval '1 minute'`;
  // Between the two, however long the calls took.
  const [times] = await client.stack.admin<{ leftAt: Date }[]>`
    select max(created_at) + interval '30 seconds' as "leftAt" from messaging.messages`;
  const leftAtMs = times?.leftAt.getTime() ?? 0;
  const echo = { fromMe: true, messageId: "OWN1", text: { message: "um" } };
  await client.receive(tenant, { ...echo, momment: leftAtMs });
  await client.receive(tenant, { ...echo, messageId: "OWN2", text: { message: "dois" } });
  const [first, second] = await client.messages(tenant);
  const sentAtMs = (message?: StoredMessage): number => (message?.["sent_at"] as Date).getTime();
  assert(Math.abs(sentAtMs(first) - leftAtMs) < 5_000, "what the echo says");
  assert(sentAtMs(second) < Date.now() - 590_000, "not when it was told");
});

Deno.test("Evolution's own report of a message settles the one whose answer was lost, and no person's", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await createAgent(client.stack.admin, tenant.instanceId);
  const report = (id: string, words: string) => ({
    ...evolutionMessage({ conversation: words }, { fromMe: true, id }),
    event: "send.message",
  });
  client.stack.provider.answer = async () => {
    await client.evolution(tenant, report("OWN1", "oi"));
    return new Response(null, { status: 500 });
  };
  await client.stack.send(tenant, { ...text, sentBy: "ai_agent" });
  assertEquals(await outcomes(client, tenant), [["sent", "OWN1"]]);
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  await client.stack.send(tenant, { ...text, sentBy: "ai_agent", message: "dois" });
  await client.evolution(tenant, report("OWN2", "dois"));
  await client.evolution(tenant, report("FOREIGN", "de outro sistema"));
  // Another system's message remains its own; the provider's answer to our call tells them apart.
  client.stack.provider.answer = async () => {
    await client.evolution(tenant, report("FOREIGN2", "tres"));
    return Response.json({ key: { id: "OWN3" } }, { status: 201 });
  };
  await client.stack.send(tenant, { ...text, sentBy: "ai_agent", message: "tres" });
  const expected = [["sent", "OWN1"], ["sent", "OWN2"], ["sent", "OWN3"]];
  assertEquals(await outcomes(client, tenant), expected);
  assertEquals(await pausedUntil(client, tenant), undefined);
});

Deno.test("echoes that are kept crosswise prove no other message", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { stack } = client;
  stack.provider.answer = () => new Response(null, { status: 500 });
  const doubtful = await stack.send(tenant, text);
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  stack.provider.answer = async () => {
    const call = calls++;
    await answers[call]?.promise;
    return Response.json({ zaapId: "Z", messageId: `OWN${call + 1}`, id: `OWN${call + 1}` });
  };
  const [first, second] = [stack.send(tenant, text), stack.send(tenant, text)];
  await waitUntil(() => Promise.resolve(calls === 2));
  for (const messageId of ["OWN2", "OWN1"]) {
    await client.receive(tenant, { messageId, fromMe: true, text: { message: "oi" } });
  }
  for (const [index, sending] of [first, second].entries()) {
    answers[index]?.resolve();
    await sending;
  }
  const stored = await client.messages(tenant);
  const byId = new Map(stored.map((message) => [message["id"], message["status"]]));
  assertEquals(byId.get(doubtful.body.messageId), "unconfirmed");
  assertEquals(
    stored.map((message) => message["provider_message_id"]).sort(),
    ["OWN1", "OWN2", null],
  );
});

Deno.test("an echo of a message whose answer has told it proves no other one", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const { stack } = client;
  const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  let calls = 0;
  stack.provider.answer = () => answers[calls++]!.promise;
  const first = stack.send(tenant, text);
  await waitUntil(() => calls === 1);
  const second = stack.send(tenant, text);
  await waitUntil(() => calls === 2);
  await client.evolution(tenant, {
    ...evolutionMessage({ conversation: "oi" }, { fromMe: true, id: "OWN2" }),
    event: "send.message",
  });
  answers[1]?.resolve(Response.json({ key: { id: "OWN2" } }, { status: 201 }));
  await second;
  answers[0]?.resolve(new Response(null, { status: 500 }));
  await first;
  assertEquals(await outcomes(client, tenant), [["unconfirmed", null], ["sent", "OWN2"]]);
});

Deno.test("a message that another one's echo confirmed is in doubt again", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const { admin, database } = client.stack;
  client.stack.provider.answer = () => new Response(null, { status: 500 });
  const doubtful = await client.stack.send(tenant, text);
  const late = await client.stack.send(tenant, { ...text, delayMessage: 1 });
  await letTimePass(admin, 2);
  const { messages: [claim] } = await database.rpc(
    "claim_due_messages",
    { maxMessages: 1, leaseSeconds: 30 },
  );
  await letTimePass(admin, 31);
  await database.rpc("expire_claims", { maxMessages: 10 });
  await client.receive(tenant, { messageId: "OWN1", fromMe: true, text: { message: "oi" } });
  assertEquals(await statusOf(client, doubtful.body.messageId), ["sent", "OWN1"]);
  await admin`
    select messaging.advance_message(${doubtful.body.messageId}, 'OWN1', 'failed', now(), '{"code": "1"}')`;
  await callUntyped(database, "settle_messages", {
    results: [{
      ...{ messageId: late.body.messageId, claimToken: claim?.claimToken },
      ...{ outcome: "accepted", providerMessageId: "OWN1" },
    }],
  });
  // Status events that arrived meanwhile were about the other message.
  assertEquals(await statusOf(client, late.body.messageId), ["failed", "OWN1"]);
  assertEquals(await statusOf(client, doubtful.body.messageId), ["unconfirmed", null]);
  const [restored] = await admin`
    select failed_at from messaging.messages where id = ${doubtful.body.messageId}`;
  assertEquals(restored?.["failed_at"], null);
});

Deno.test("a person's words pause the agent from when they were written; a reaction does not", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await createAgent(client.stack.admin, tenant.instanceId);
  const typed = { fromMe: true, fromApi: false };
  const startedAtMs = Date.now();
  const at = (minutesAgo: number): number => startedAtMs - minutesAgo * 60_000;
  await client.receive(tenant, {
    ...{ ...typed, messageId: "T1", text: { message: "faz tempo" }, momment: at(31) },
  });
  await client.receive(tenant, { ...typed, messageId: "T2", reaction: { value: "👍" } });
  assertEquals(await pausedUntil(client, tenant), undefined);
  await client.receive(tenant, {
    ...{ ...typed, messageId: "T3", text: { message: "há pouco" }, momment: at(20) },
  });
  const until = await pausedUntil(client, tenant) as Date;
  assertEquals(until.getTime(), at(-10));
});

Deno.test("a message that a caller sent as `phone` is as safe as any, under an id that comes twice too", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  client.stack.provider.answer = () =>
    Response.json({ zaapId: "SAME", messageId: "SAME", id: "SAME" });
  const own = await client.stack.send(tenant, { ...text, sentBy: "phone" });
  const other = await client.stack.send(tenant, { ...text, message: "outra" });
  assertEquals(await statusOf(client, own.body.messageId), ["sent", "SAME"]);
  assertEquals(await statusOf(client, other.body.messageId), ["sent", "SAME"]);
  assertEquals((await client.messages(tenant)).length, 2);
});
