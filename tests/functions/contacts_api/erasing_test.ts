/** What an erasure meets: bad input, what is under way, what comes late, and what comes at once. */

import { assert, assertEquals } from "../../support/assert.ts";
import { isWaiting } from "../../support/database/sessions.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import {
  type ErasureWorld,
  findTraces,
  finishErasure,
  neighbour,
  person,
  sender,
  startErasureWorld,
  text,
} from "./erasure_world.ts";

const { phone } = person;

/** The person writes; returns the contact. */
async function write(world: ErasureWorld, id: string, body: string): Promise<string> {
  await world.receive({
    contacts: [sender(person, { user_id: person.userId })],
    messages: [text(id, phone, body, { from_user_id: person.userId })],
  });
  const { items } = await world.succeed("GET", `contacts-api/contacts?phone=${phone}`);
  return items[0]?.contactId;
}

Deno.test("unknown, malformed and foreign ids are 404 and erase nothing; erasing twice is 410", async () => {
  await using world = await startErasureWorld();
  const { call, stack, sql } = world;
  const contactId = await write(world, "wamid.1", "oi");
  const other = await stack.createTenant();
  for (const id of [crypto.randomUUID(), "nobody", `${contactId}0`, "%00"]) {
    const { status, body } = await call("DELETE", `contacts-api/contacts/${id}`);
    assertEquals([status, body.error], [404, "contact_not_found"], id);
  }
  const foreign = await call("DELETE", `contacts-api/contacts/${contactId}`, undefined, {
    tenant: other,
  });
  assertEquals([foreign.status, foreign.body.error], [404, "contact_not_found"]);
  assertEquals((await sql`select from messaging.erasures`).length, 0);
  const answers = await Promise.all(
    [1, 2, 3].map(() => call("DELETE", `contacts-api/contacts/${contactId}`)),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [202, 410, 410]);
  const again = await call("DELETE", `contacts-api/contacts/${contactId}`);
  assertEquals([again.status, again.body.error], [410, "contact_erased"]);
  const erasureId = answers.find(({ status }) => status === 202)?.body.erasureId;
  assertEquals((await finishErasure(world, erasureId)).counts.messages, 1);
  for (const id of [crypto.randomUUID(), "x", erasureId.slice(1)]) {
    const { status, body } = await call("GET", `contacts-api/erasures/${id}`);
    assertEquals([status, body.error], [404, "erasure_not_found"], id);
  }
  const seen = await call("GET", `contacts-api/erasures/${erasureId}`, undefined, {
    tenant: other,
  });
  assertEquals([seen.status, seen.body.error], [404, "erasure_not_found"]);
});

Deno.test("every call that names the contact is 410, and so is each that was merged into it", async () => {
  await using world = await startErasureWorld();
  const { call, succeed } = world;
  const kept = await write(world, "wamid.1", "oi");
  const { contactId: gone } = await succeed("POST", "contacts-api/create", {
    phone: "5511900001111",
  });
  await succeed("POST", "contacts-api/merge", { contactId: gone, intoContactId: kept });
  await world.erase(gone);
  const period = { start: "2026-01-01", end: "2026-01-02" };
  const calls: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ["POST", "contacts-api/update", { name: "Ana" }],
    ["POST", "contacts-api/tags", { addTags: ["lead"] }],
    ["POST", "contacts-api/consent", { marketing: "denied" }],
    ["POST", "conversations-api/unassign", {}],
    ["POST", "conversations-api/status", { status: "closed" }],
    ["POST", "conversations-api/note", { note: "x" }],
    ["POST", "conversations-api/agent-pause", { paused: true }],
    ["GET", "conversations-api/agent-pause", {}],
    ["POST", "send-message", { messageType: "text", message: "x" }],
    ["POST", "send-message", { messageType: "text", message: "x", delayMessage: 60 }],
    ["GET", "messages-context", period],
    ["GET", "messages-api/messages", {}],
  ];
  for (const contactId of [kept, gone]) {
    for (const [method, path, members] of calls) {
      const query = new URLSearchParams({
        ...{ instanceId: world.tenant.instanceId, contactId },
        ...(members as Record<string, string>),
      });
      const { status, body } = method === "GET"
        ? await call(method, `${path}?${query}`)
        : await call(method, path, { ...members, contactId });
      assertEquals([status, body.error], [410, "contact_erased"], `${method} ${path}`);
    }
    for (const path of [`contacts/${contactId}`, `contacts/${contactId}/export`]) {
      const { status, body } = await call("GET", `contacts-api/${path}`);
      assertEquals([status, body.error], [410, "contact_erased"], path);
    }
  }
  const { items } = await succeed("GET", "contacts-api/contacts");
  assertEquals(items, []);
});

Deno.test("a message in flight is settled, revives nothing, and nothing that comes late brings the person back", async () => {
  await using world = await startErasureWorld();
  const { stack, call, sql, receive } = world;
  const contactId = await write(world, "wamid.IN", "quero jabuticaba");
  const release = Promise.withResolvers<void>();
  stack.provider.answer = async () => {
    await release.promise;
    return Response.json({
      contacts: [{ input: phone, wa_id: phone }],
      messages: [{ id: "wamid.OUT" }],
    });
  };
  const message = { phone, messageType: "text", message: "temos mangaba" };
  const sending = call("POST", "send-message", message, { key: "k1" });
  await waitUntil(() => Promise.resolve(stack.provider.requests.length === 1));
  const { status, body } = await call("DELETE", `contacts-api/contacts/${contactId}`);
  assertEquals(status, 202);
  const pending = await call("GET", `contacts-api/erasures/${body.erasureId}`);
  assertEquals(pending.body.status, "pending", "the outcome must find its message");
  const read = await call("GET", `contacts-api/contacts/${contactId}`);
  assertEquals([read.status, read.body.error], [410, "contact_erased"]);
  release.resolve();
  const sent = await sending;
  assertEquals([sent.status, sent.body.status], [200, "sent"]);
  await finishErasure(world, body.erasureId);

  const late = { timestamp: `${Math.floor(Date.now() / 1_000)}`, recipient_id: phone };
  for (const state of ["sent", "delivered", "read"]) {
    const answer = await receive({ statuses: [{ id: "wamid.OUT", status: state, ...late }] });
    assertEquals(answer.status, 200);
  }
  await receive({
    contacts: [sender(person)],
    messages: [text("wamid.IN", phone, "quero jabuticaba")],
  });
  await receive({
    contacts: [sender(person), sender(neighbour)],
    messages: [
      text("wamid.IN", phone, "quero jabuticaba"),
      text("wamid.NB", neighbour.phone, "bom dia"),
    ],
  });
  const repeated = await call("POST", "send-message", message, { key: "k1" });
  assertEquals([repeated.status, repeated.body.error], [410, "contact_erased"]);
  assertEquals(stack.provider.requests.length, 1, "nothing is sent a second time");
  assertEquals(await findTraces(sql), []);
  const contacts = await sql`select phone from messaging.contacts`;
  assertEquals(contacts.map((row) => row["phone"]), [neighbour.phone]);
  const payloads = await sql`select payload from messaging.provider_events`;
  assertEquals(payloads.filter(({ payload }) => payload.includes("bom dia")).length, 1);
});

Deno.test("an echo of an erased message brings nobody back on a gateway", async () => {
  await using world = await startErasureWorld({ provider: "zapi" });
  const { stack, succeed, sql, contract, tenant } = world;
  const sent = await succeed("POST", "send-message", {
    ...{ phone, messageType: "text", message: "temos mangaba" },
  });
  await world.erase(sent.contactId);
  const deliver = (payload: unknown): Promise<Response> =>
    contract.request(
      "provider-webhook",
      `/provider-webhook/zapi/${tenant.instanceId}/hook-secret-value`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(payload),
      },
    );
  const messageId = sent.providerMessageId;
  const echo = {
    ...{ type: "ReceivedCallback", phone, fromMe: true, isGroup: false, messageId },
    text: { message: "temos mangaba" },
  };
  assertEquals((await deliver(echo)).status, 200);
  const status = { type: "MessageStatusCallback", phone, status: "READ", ids: [messageId] };
  assertEquals((await deliver(status)).status, 200);
  await stack.dispatch();
  assertEquals(await findTraces(sql), []);
  assertEquals((await sql`select from messaging.contacts`).length, 0);
});

Deno.test("a long life is erased in steps; what waits is never sent, and the queue goes on for others", async () => {
  await using world = await startErasureWorld();
  const { stack, call, succeed, sql } = world;
  const contactId = await write(world, "wamid.1", "jabuticaba");
  await sql`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status,
      provider_message_id, sent_at
    )
    select m.instance_id, m.contact_id, m.conversation_id, m.direction, m.message_type,
      'jabuticaba ' || n, m.status, 'old-' || n, now() - interval '1 hour'
    from messaging.messages m cross join generate_series(1, 3000) as n`;
  const paced = { messageType: "text", queued: true, intervalSeconds: 10 };
  for (let place = 0; place < 3; place++) {
    await call("POST", "send-message", { phone, message: `umbu ${place}`, ...paced });
    await stack.finishBackground();
  }
  await receiveNeighbour(world);
  await succeed("POST", "send-message", { phone: neighbour.phone, message: "a sua vez", ...paced });
  const sentBefore = stack.provider.requests.length;
  const { body } = await call("DELETE", `contacts-api/contacts/${contactId}`);
  const first = await call("GET", `contacts-api/erasures/${body.erasureId}`);
  assertEquals(first.body.status, "pending");
  const queue = await succeed(
    "GET",
    `messages-api/queue?instanceId=${world.tenant.instanceId}`,
  );
  assertEquals(queue.items.map((item: { phone: string }) => item.phone), [neighbour.phone]);
  const erasure = await finishErasure(world, body.erasureId);
  assert(erasure.counts.messages >= 3_003, Deno.inspect(erasure.counts));
  assertEquals(await findTraces(sql), []);
  await sql`
    update messaging.message_queue set scheduled_at = now() - interval '1 second'`;
  await sql`
    update messaging.dispatch set next_due_at = now() - interval '1 second', paced_from = now() - interval '1 hour'`;
  await stack.dispatch({ durationMs: 400 });
  const bodies = stack.provider.requests.slice(sentBefore).map(({ json }) => json["to"]);
  assertEquals(bodies, [neighbour.phone]);
});

async function receiveNeighbour(world: ErasureWorld): Promise<void> {
  await world.receive({
    contacts: [sender(neighbour)],
    messages: [text("wamid.NB", neighbour.phone, "bom dia")],
  });
}

Deno.test("webhooks, sends and outcomes that race with an erasure leave nothing of the erased contact", async () => {
  await using world = await startErasureWorld();
  const { stack, call, sql } = world;
  stack.provider.answer = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    return acceptMessage(request);
  };
  for (let round = 0; round < 8; round++) {
    const contactId = await write(world, `wamid.first${round}`, "primeira");
    const words = new Map<string, string>();
    const send = async (place: number): Promise<void> => {
      const word = `palavra-${round}-${place}`;
      const queued = place % 3 === 0 ? { queued: true, intervalSeconds: 10 } : {};
      const { status, body } = await call("POST", "send-message", {
        ...{ phone, messageType: "text", message: word, ...queued },
      }, { key: `send-${round}-${place}` });
      assert(status === 200, JSON.stringify(body));
      words.set(word, body.contactId);
    };
    const receive = async (place: number): Promise<void> => {
      const { status } = await world.receive({
        contacts: [sender(person, { user_id: person.userId })],
        messages: [text(`wamid.${round}.${place}`, phone, `recebida-${round}-${place}`)],
      });
      assertEquals(status, 200);
    };
    const erase = async (): Promise<string> => {
      const { status, body } = await call("DELETE", `contacts-api/contacts/${contactId}`);
      assertEquals(status, 202, JSON.stringify(body));
      return body.erasureId;
    };
    const [erasureId] = await Promise.all([
      erase(),
      ...[1, 2, 3, 4, 5].flatMap((place) => [send(place), receive(place)]),
      stack.dispatch({ durationMs: 50 }),
    ]);
    await stack.finishBackground();
    await finishErasure(world, erasureId);
    const erasedWords = [...words].filter(([, id]) => id === contactId).map(([word]) => word);
    assertEquals(await findTraces(sql, ["no such word", ...erasedWords]), []);
    const left = await sql`
      select m.id from messaging.messages m
      where not exists (select from messaging.contacts c where c.id = m.contact_id)`;
    assertEquals(left.length, 0);
    const tombs = await sql`
      select a.contact_id from messaging.contact_activity a
      where a.contact_id = ${contactId} and a.erased_at is not null and a.last_message_at is null`;
    assertEquals(tombs.length, 1);
    const events = await sql`
      select e.type from messaging.events e where e.contact_id = ${contactId}`;
    assertEquals(events.map(({ type }) => type), ["contact.erased"]);
  }
});

Deno.test("a webhook that is told again while its person is erased leaves no payload behind", async () => {
  await using world = await startErasureWorld();
  const { sql, tenant } = world;
  const contactId = await write(world, "wamid.told", "segredo");
  const request = JSON.stringify({
    instanceId: tenant.instanceId,
    payload: JSON.stringify({ from: phone, text: "segredo" }),
    events: [{
      ...{ kind: "message", origin: "inbound", providerMessageId: "wamid.told" },
      ...{ address: phone, otherAddresses: [], messageType: "text", message: "segredo" },
    }],
  });
  const isRecorded = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const recording = sql.begin(async (transaction) => {
    await transaction.unsafe(`select public.record_provider_events($1::text::jsonb)`, [request]);
    isRecorded.resolve();
    await letGo.promise;
  });
  await isRecorded.promise;
  let hasAnswered = false;
  const erasing = world.call("DELETE", `contacts-api/contacts/${contactId}`)
    .finally(() => hasAnswered = true);
  await waitUntil(async () => hasAnswered || await isWaiting(sql), {
    what: "the erasure to wait for the webhook, or to end",
  });
  letGo.resolve();
  await recording;
  await finishErasure(world, (await erasing).body.erasureId);
  assertEquals(await findTraces(sql, ["segredo"]), []);
});
