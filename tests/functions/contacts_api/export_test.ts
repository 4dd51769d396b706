import { assert, assertEquals } from "../../support/assert.ts";
import { exportResponseSchema } from "../../../functions/contacts-api/export_contract.ts";
import { exportContact } from "../../../functions/contacts-api/export_contact.ts";
import type { Database } from "../../../shared/database/database.ts";
import { liveFully, neighbour, person, sender, startErasureWorld, text } from "./erasure_world.ts";

Deno.test("an export holds everything about the person, as its schema says, and nothing of others", async () => {
  await using world = await startErasureWorld();
  const { contactId } = await liveFully(world);
  const { status, body } = await world.call("GET", `contacts-api/contacts/${contactId}/export`);
  assertEquals(status, 200);
  const parsed = exportResponseSchema.safeParse(body);
  assert(parsed.success, Deno.inspect(parsed.error?.issues));
  const told = JSON.stringify(body);
  for (
    const word of [
      ...[person.phone, person.userId, person.name, person.email],
      ...[
        "jabuticaba",
        "bergamota",
        "Guaraná",
        "pitomba",
        "cupuaçu",
        "graviola",
        "mangaba",
        "umbuzeiro",
      ],
      ...["cajarana", "seriguela", "sapoti", "bacuri", "murici", "tucumã", "camu-camu"],
    ]
  ) {
    assert(told.includes(word), `${word} is missing`);
  }
  assert(!told.includes(neighbour.phone) && !told.includes(neighbour.name));
  const [stored] = await world.sql`
    select count(*)::int as count from messaging.messages where contact_id = ${contactId}`;
  assertEquals(body.messages.length, stored?.["count"]);
  const ids = body.messages.map(({ messageId }: { messageId: string }) => messageId);
  assertEquals(new Set(ids).size, ids.length);
  assertEquals(body.contact.contactId, contactId);
  assertEquals(body.consentLog.map(({ marketing }: { marketing: string }) => marketing), [
    "denied",
  ]);
  assertEquals(body.transfers.length, 2);
});

Deno.test("an export holds the person's questions with their answers, and payments, as their own calls give them", async () => {
  await using world = await startErasureWorld();
  const { succeed, stack, tenant } = world;
  await world.receive({
    contacts: [sender(person)],
    messages: [text("wamid.1", person.phone, "oi")],
  });
  const { items: [{ contactId }] } = await succeed("GET", "contacts-api/contacts");
  const asked = { contactId, messageType: "text", message: "Qual é o seu CPF?" };
  for (const key of ["first", "second"]) {
    const ask = { accept: "document", answerWithin: "PT1H", key };
    assertEquals((await stack.send(tenant, { ...asked, ask })).status, 200);
  }
  await world.receive({
    contacts: [sender(person)],
    messages: [text("wamid.2", person.phone, "529.982.247-25")],
  });
  const payment = { reference: "ped-1", amount: "10.00", link: "https://pay.example.com/1" };
  const message = { contactId, messageType: "payment_request", message: "Pedido", payment };
  assertEquals((await stack.send(tenant, message)).status, 200);
  await succeed("POST", "messages-api/payments/ped-1", { status: "paid" });

  const exported = await succeed("GET", `contacts-api/contacts/${contactId}/export`);
  assert(exportResponseSchema.safeParse(exported).success);
  for (const list of ["questions", "payments"]) {
    const { items } = await succeed("GET", `messages-api/${list}?contactId=${contactId}`);
    const own = items.map(({ contact: _, ...record }: Record<string, unknown>) => record);
    assertEquals(exported[list], own);
  }
  const [, { key, answer }] = exported.questions;
  assertEquals([key, answer.value, exported.payments[0].status], ["second", "52998224725", "paid"]);
});

Deno.test("a long life is read in pages, each message once and in order, also many of one instant", async () => {
  await using world = await startErasureWorld();
  const { sql, succeed } = world;
  await world.receive({
    contacts: [sender(person)],
    messages: [text("wamid.1", person.phone, "uma")],
  });
  await sql`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status,
      provider_message_id, sent_at, created_at
    )
    select m.instance_id, m.contact_id, m.conversation_id, m.direction, m.message_type, n::text,
      m.status, 'old-' || n, now() - interval '1 day' + (n / 400) * interval '1 s', now()
    from messaging.messages m cross join generate_series(1, 2600) as n`;
  await sql`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status, mode,
      created_at, failed_at
    )
    select m.instance_id, m.contact_id, m.conversation_id, 'outbound', 'text', 'falhou', 'failed',
      'sent', now(), now()
    from messaging.messages m cross join generate_series(1, 700) as n
    where m.provider_message_id = 'wamid.1'`;
  const { items: [{ contactId }] } = await succeed("GET", "contacts-api/contacts");
  const body = await succeed("GET", `contacts-api/contacts/${contactId}/export`);
  const ids = new Set(body.messages.map(({ messageId }: { messageId: string }) => messageId));
  assertEquals([body.messages.length, ids.size], [3_301, 3_301]);
  const instants = body.messages.map(({ sentAt }: { sentAt: string | null }) => sentAt)
    .filter((at: string | null) => at !== null);
  assertEquals(instants, [...instants].sort());
});

Deno.test("an export reads no further than its caller does, so that it never holds more than a page", async () => {
  await using world = await startErasureWorld();
  const { succeed, stack } = world;
  const { contactId } = await succeed("POST", "contacts-api/create", { phone: person.phone });
  let pages = 0;
  const database: Database = {
    rpc: (name, request) => {
      if (name !== "export_contact_page") return stack.database.rpc(name, request);
      pages++;
      const next = { at: null, id: pages };
      const items = Array.from({ length: 500 }, () => ({ message: "x".repeat(100) }));
      return Promise.resolve({ items, next }) as never;
    },
    close: () => Promise.resolve(),
  };
  const services = { database, log: stack.services.log };
  const stream = await exportContact(services, world.tenant.instanceId, contactId);
  const reader = stream.getReader();
  for (let read = 0; read < 5; read++) await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert(pages <= 10, `${pages} pages were read for 5 chunks`);
  await reader.cancel();
});

Deno.test("an export that fails on the way breaks off, and its log line names no person", async () => {
  await using world = await startErasureWorld();
  const { succeed, stack } = world;
  const { contactId } = await succeed("POST", "contacts-api/create", { phone: person.phone });
  const database: Database = {
    rpc: (name, request) =>
      name === "export_contact_page"
        ? Promise.reject(new Error(`gone ${person.phone}`))
        : stack.database.rpc(name, request),
    close: () => Promise.resolve(),
  };
  const services = { database, log: stack.services.log };
  const stream = await exportContact(services, world.tenant.instanceId, contactId);
  const read = await new Response(stream).text().then(() => "whole", () => "broken off");
  assertEquals(read, "broken off");
  const [line] = stack.logLines.filter(({ event }) => event === "export_failed");
  assert(line !== undefined && !JSON.stringify(line).includes(person.phone));
});

Deno.test("who is exported is checked first: unknown, malformed and foreign ids are 404, erased ones 410", async () => {
  await using world = await startErasureWorld();
  const { succeed, call, stack } = world;
  const { contactId } = await succeed("POST", "contacts-api/create", { phone: person.phone });
  const other = await stack.createTenant();
  for (const id of [crypto.randomUUID(), "nobody", `${contactId}x`]) {
    const { status, body } = await call("GET", `contacts-api/contacts/${id}/export`);
    assertEquals([status, body.error], [404, "contact_not_found"], id);
  }
  const foreign = await call("GET", `contacts-api/contacts/${contactId}/export`, undefined, {
    tenant: other,
  });
  assertEquals([foreign.status, foreign.body.error], [404, "contact_not_found"]);
  await world.erase(contactId);
  const erased = await call("GET", `contacts-api/contacts/${contactId}/export`);
  assertEquals([erased.status, erased.body.error], [410, "contact_erased"]);
});
