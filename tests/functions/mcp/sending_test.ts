import postgres from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { startMcpWorld } from "./mcp_world.ts";

const known = "5511987650001";
const stranger = "5511987650009";

Deno.test("one intent sends once: repeated, repeated at once from two processes, and after a restart of the client", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  const args = { phone: known, message: "Já saiu.", intent: "answer-1" };
  await using first = await world.connect();
  const answer = await first.call("send_message", args);
  assertEquals([answer.isError, answer.found.status], [false, "sent"], answer.text);
  await using second = await world.connect();
  const again = await Promise.all(
    [first, second, first].map((one) => one.call("send_message", args)),
  );
  for (const one of again) {
    const sameOrUnderWay = one.found.messageId === answer.found.messageId ||
      one.found.error === "intent_in_progress";
    assert(sameOrUnderWay, one.text);
  }
  assertEquals(world.sent.length, 1);
  const other = await first.call("send_message", { ...args, message: "Outra coisa." });
  assertEquals([other.isError, other.found.error], [true, "intent_reused"]);
  assert(!/idempotency/i.test(other.text) && other.found.message.startsWith("This intent"));
  await first.call("send_message", { ...args, intent: "answer-2" });
  assertEquals(world.sent.length, 2);
});

Deno.test("a token writes only to people who have a contact that no tool has made, unless it may write to any", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  await using client = await world.connect();
  const send = (phone: string, intent: string) =>
    client.call("send_message", { phone, message: "Oi", intent });
  const refused = await send(stranger, "a");
  assertEquals(refused.isError, true);
  // The service's own advice stands outside the quotes.
  assertEquals([refused.found.error, refused.found.message], [
    "recipient_not_known",
    "This token may only write to people who have a contact already: find_contacts finds them.",
  ]);
  // Other spellings of a number are the same person.
  assertEquals((await send("551187650001", "b")).isError, false);
  assertEquals(world.sent.length, 1);
  const countStrangers = async () =>
    (await world.admin`select id from messaging.contacts where phone = ${stranger}`).length;
  assertEquals(await countStrangers(), 0);

  await world.admin`update messaging.client_tokens set mcp_recipients = 'any'`;
  assertEquals((await send(stranger, "a")).isError, false);
  assertEquals([world.sent.length, await countStrangers()], [2, 1]);
  const [contact] = await world.admin`
    select origin from messaging.contacts where phone = ${stranger}`;
  assertEquals(contact?.["origin"], "mcp");
  const [event] = await world.admin`
    select count(*)::integer as told from messaging.events where type = 'contact.created'`;
  assertEquals(event?.["told"], 1);

  await world.admin`update messaging.client_tokens set mcp_recipients = 'known'`;
  assertEquals((await send(stranger, "c")).found.error, "recipient_not_known");
  // A person who has answered is known, also where we wrote first.
  await world.admin`
    update messaging.contacts set last_inbound_at = now() where phone = ${stranger}`;
  assertEquals((await send(stranger, "c")).isError, false);
});

Deno.test("an hour has its sends, counted in the database: repetitions spend nothing, and the wait is told", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  await world.admin`update messaging.client_tokens set mcp_max_sends_per_hour = 3`;
  await using one = await world.connect();
  await using two = await world.connect();
  const send = (client: typeof one, intent: string) =>
    client.call("send_message", { phone: known, message: intent, intent });
  const results = await Promise.all(
    ["a", "b", "c", "d", "e"].map((intent, index) => send(index % 2 === 0 ? one : two, intent)),
  );
  assertEquals(results.filter(({ isError }) => !isError).length, 3);
  const [refused] = results.filter(({ isError }) => isError);
  assertEquals(refused?.found.error, "rate_limited");
  assert(refused?.found.retryAfterSeconds > 3_500, refused?.text);
  assertEquals(world.sent.length, 3);
  const [, repeated = ""] = /"(.)"/.exec(JSON.stringify(
    ["a", "b", "c", "d", "e"].filter((_, index) => !results[index]?.isError),
  )) ?? [];
  assertEquals((await send(one, repeated)).isError, false);
  await world
    .admin`update messaging.mcp_sends set admitted_at = admitted_at - interval '61 minutes'`;
  assertEquals((await send(one, "f")).isError, false);
  assertEquals(world.sent.length, 4);
});

Deno.test("of 40 sends at once an hour admits exactly its number, however many processes ask", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  await world.admin`update messaging.client_tokens set mcp_max_sends_per_hour = 7`;
  const [token] = await world.admin`select id from messaging.client_tokens`;
  // Sessions of their own, as of many processes, open before the first call.
  const sessions = postgres(world.stack.testDatabase.url, { max: 40, onnotice: () => {} });
  await Promise.all(Array.from({ length: 40 }, () => sessions`select pg_sleep(0.5)`));
  const ask = (place: number): Promise<{ readonly refusal: string | null }> =>
    callFunction(sessions, "admit_mcp_send", {
      ...{ instanceId: world.tenant.instanceId, tokenId: token?.["id"] },
      ...{ callKey: `call-${place}`, phone: known },
    });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, place) => ask(place)));
  await sessions.end();
  const refusals = answers.map(({ refusal }) => refusal);
  assertEquals(refusals.filter((refusal) => refusal === null).length, 7);
  assertEquals(refusals.filter((refusal) => refusal === "hourly_limit").length, 33);
});

Deno.test("an intent does not carry its admission to another recipient", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  await using client = await world.connect();
  // The API refuses the message, after it was admitted.
  const wrong = await client.call("send_message", {
    phone: known,
    messageType: "hologram",
    intent: "x",
  });
  assertEquals([wrong.isError, wrong.found.error], [true, "invalid_request"]);
  const moved = await client.call("send_message", { phone: stranger, message: "Oi", intent: "x" });
  assertEquals(moved.found.error, "recipient_not_known");
  assertEquals(world.sent, []);
});

Deno.test("a message with quote marks is not sent: no person should read them", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  await using client = await world.connect();
  const refused = await client.call("send_message", {
    ...{
      phone: known,
      intent: "x",
      message: "Você disse <quote-0123456789ab>oi</quote-0123456789ab>",
    },
  });
  assertEquals([refused.isError, refused.found.error, world.sent.length], [true, "quote_marks", 0]);
});

Deno.test("admin-api issues a token with its rules for tools, and shows the defaults", async () => {
  await using world = await startMcpWorld();
  const { createAdminApp } = await import("../../../functions/admin-api/app.ts");
  const { secretKey } = await import("../../support/stack/messaging_stack.ts");
  const { testVault } = await import("../../support/fixtures/tenant.ts");
  const app = createAdminApp(
    {
      ...world.stack.services,
      ...{ vault: testVault, secretKeys: { default: secretKey }, allowsPrivateHosts: true },
    } as Parameters<typeof createAdminApp>[0],
  );
  const issue = async (body: unknown) => {
    const response = await app.request(`/admin-api/instances/${world.tenant.instanceId}/tokens`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...await response.json() };
  };
  assertEquals((await issue({})).mcp, { recipients: "known", maxSendsPerHour: 30 });
  const { token, mcp } = await issue({ mcp: { recipients: "any", maxSendsPerHour: 1 } });
  assertEquals(mcp, { recipients: "any", maxSendsPerHour: 1 });
  await using client = await world.connect(token);
  const send = (intent: string) =>
    client.call("send_message", { phone: stranger, message: "Oi", intent });
  assertEquals([(await send("a")).isError, (await send("b")).found.error], [false, "rate_limited"]);
  assertEquals((await issue({ mcp: { recipients: "all" } })).status, 400);
});

Deno.test("no tool makes a contact of a stranger, who then would be known", async () => {
  await using world = await startMcpWorld();
  await using client = await world.connect();
  const recipients = [{ phone: stranger }];
  await client.call("read_conversation", { phone: stranger });
  await client.call("dry_run_batch", {
    recipients,
    message: { messageType: "text", message: "Oi" },
  });
  for (const paused of [true, false]) {
    const refused = await client.call("pause_agent", { phone: stranger, paused });
    assertEquals([refused.isError, refused.found.error], [true, "contact_not_found"]);
  }
  const sent = await client.call("send_message", { phone: stranger, message: "Oi", intent: "a" });
  assertEquals([sent.found.error, world.sent.length], ["recipient_not_known", 0]);
  const contacts = await world.admin`select id from messaging.contacts where phone = ${stranger}`;
  assertEquals(contacts.length, 0);

  const contactId = await world.addContact(known);
  const paused = await client.call("pause_agent", { phone: known, minutes: 5 });
  assertEquals([paused.isError, paused.found.contactId], [false, contactId], paused.text);
  assertEquals((await client.call("pause_agent", { contactId, paused: false })).isError, false);
});

Deno.test("a conversation is taken and passed on where a number has several responders", async () => {
  await using world = await startMcpWorld("whatsapp_cloud");
  world.stack.provider.answer = () => Response.json({ success: true });
  const contactId = await world.addContact(known);
  await using client = await world.connect();
  const passed = await client.call("set_control", {
    ...{ phone: known, action: "pass", role: "ai_agent" },
  });
  assertEquals(
    [passed.found.contactId, passed.found.handledBy, passed.found.previous],
    [contactId, "channel_agent", "us"],
    passed.text,
  );
  const taken = await client.call("set_control", { contactId, action: "take" });
  assertEquals([taken.found.handledBy, taken.found.previous], ["us", "channel_agent"]);
  const unknown = await client.call("set_control", { phone: stranger, action: "take" });
  assertEquals([unknown.isError, unknown.found.error], [true, "contact_not_found"]);
  assertEquals(world.sent.map(({ action }) => action), ["pass", "take"]);

  await using gateway = await startMcpWorld();
  await gateway.addContact(known);
  await using other = await gateway.connect();
  const refused = await other.call("set_control", { phone: known, action: "take" });
  assertEquals([refused.isError, refused.found.error], [true, "unsupported_on_channel"]);
});

Deno.test("an argument that is null or empty is not given, to any tool", async () => {
  await using world = await startMcpWorld();
  await world.addContact(known);
  await using client = await world.connect();
  for (const [place, empty] of [null, ""].entries()) {
    const nothing = Object.fromEntries(
      [
        "contactId",
        "userId",
        "mediaUrl",
        "mediaId",
        "queued",
        "sendAt",
        "expiresAt",
        "purpose",
        "replyTo",
      ]
        .map((name) => [name, empty]),
    );
    const args = { phone: known, message: "Oi", intent: `i${place}`, ...nothing };
    const sent = await client.call("send_message", args);
    assertEquals([sent.isError, sent.found.status], [false, "sent"], sent.text);
    const found = await client.call("find_contacts", {
      phone: known,
      q: empty,
      cursor: empty,
      limit: null,
    });
    assertEquals(found.isError, false, found.text);
  }
  const refused = await client.call("send_message", { phone: known, message: null, intent: "x" });
  assertEquals(refused.isError, true);
});
