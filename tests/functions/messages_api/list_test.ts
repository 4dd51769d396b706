import { assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };

type Query = Readonly<Record<string, string>>;
// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Item = any;

const list = (stack: MessagingStack, tenant: Tenant, query: Query): Promise<Item> =>
  stack.messages(tenant, "GET", `/messages?${new URLSearchParams(query)}`);

/** Every item, by following the cursors of pages of `limit`. */
async function readAll(
  stack: MessagingStack,
  tenant: Tenant,
  query: Query,
  limit = 2,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await list(stack, tenant, {
      ...{ ...query, limit: String(limit) },
      ...(cursor === null ? {} : { cursor }),
    });
    assertEquals([status, body.success, body.items.length <= limit], [200, true, true]);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return items;
}

/** A message in each of its states, to two contacts; a thing received from each. By what it says. */
async function createMessages(stack: MessagingStack, tenant: Tenant): Promise<string[]> {
  await stack.send(tenant, { ...text, message: "sent", cardId: "card-1" });
  await stack.send(tenant, {
    ...text,
    message: "queued",
    queued: true,
    delayMessage: 600,
    cardId: "card-1",
  });
  const canceled = await stack.send(tenant, { ...text, message: "canceled", delayMessage: 600 });
  await stack.messages(tenant, "DELETE", `/messages/${canceled.body.messageId}`);
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  await stack.send(tenant, { ...text, message: "failed", cardId: "card-2" });
  stack.provider.answer = acceptMessage;
  await stack.send(tenant, { ...text, phone: "5511987650002", message: "other" });
  await stack.admin`
    insert into messaging.messages (instance_id, contact_id, conversation_id, direction, message_type,
      message, status, sent_at)
    select v.instance_id, v.contact_id, v.id, 'inbound', 'text', 'received', 'received', now()
    from messaging.conversations v order by v.created_at`;
  return ["sent", "queued", "canceled", "failed", "other", "received", "received"];
}

const saysOf = (items: readonly Item[]): string[] => items.map(({ message }) => message);

Deno.test("messages are listed as they were stored, each once, with the record of GET messages/:id", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  await stack.send(neighbour, text);
  const all = await createMessages(stack, tenant);
  const items = await readAll(stack, tenant, { instanceId: tenant.instanceId }, 3);
  assertEquals(saysOf(items), all);
  for (const item of items) {
    const { body } = await stack.messages(tenant, "GET", `/messages/${item.messageId}`);
    assertEquals({ success: true, ...item }, body);
  }
});

Deno.test("messages are listed by every filter, alone and together", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createMessages(stack, tenant);
  await stack.admin`
    insert into messaging.contact_addresses (instance_id, contact_id, address)
    select instance_id, id, 'BR.other'
    from messaging.contacts where phone = '5511987650002'`;
  const items = await readAll(stack, tenant, {});
  const contactId = items[0].contactId;
  const [, , third] = items;
  const cases: [Query, string[]][] = [
    [{ contactId }, ["sent", "queued", "canceled", "failed", "received"]],
    [{ phone }, ["sent", "queued", "canceled", "failed", "received"]],
    [{ phone: "551187654321", direction: "inbound" }, ["received"]],
    [{ phone: "5511987650002", status: "sent" }, ["other"]],
    [{ phone: "5511900000000" }, []],
    [{ userId: "BR.other" }, ["other", "received"]],
    [{ userId: "BR.nobody" }, []],
    [{ cardId: "card-1" }, ["sent", "queued"]],
    [{ cardId: "card-1", status: "queued" }, ["queued"]],
    [{ cardId: "nothing" }, []],
    [{ batchId: crypto.randomUUID() }, []],
    [{ status: "sent" }, ["sent", "other"]],
    [{ status: "queued" }, ["queued"]],
    [{ status: "sending" }, []],
    [{ status: "failed" }, ["failed"]],
    [{ status: "canceled" }, ["canceled"]],
    [{ status: "unconfirmed" }, []],
    [{ status: "failed", cardId: "card-2", contactId, direction: "outbound" }, ["failed"]],
    [{ status: "failed", cardId: "card-1" }, []],
    [{ direction: "inbound" }, ["received", "received"]],
    [{ direction: "inbound", contactId }, ["received"]],
    [{ status: "received" }, ["received", "received"]],
    [{ status: "received", direction: "outbound" }, []],
    [{ status: "sent", direction: "inbound" }, []],
    [{ direction: "outbound", contactId }, ["sent", "queued", "canceled", "failed"]],
    [{ since: third.createdAt, direction: "outbound" }, ["canceled", "failed", "other"]],
    [{ until: third.createdAt }, ["sent", "queued", "canceled"]],
    [{ since: third.createdAt, until: third.createdAt }, ["canceled"]],
    [{ until: third.createdAt, status: "queued" }, ["queued"]],
    [{ since: third.createdAt, contactId, status: "queued" }, []],
  ];
  for (const [query, expected] of cases) {
    const seen = await readAll(stack, tenant, query, 1);
    assertEquals(saysOf(seen), expected, JSON.stringify(query));
    const fromNewest = await readAll(stack, tenant, { ...query, order: "desc" }, 2);
    assertEquals(fromNewest, seen.reverse(), `${JSON.stringify(query)} from the newest`);
  }
});

Deno.test("a cursor leads on in its own order alone, and the newest first page shows what has come since", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createMessages(stack, tenant);
  const { body: first } = await list(stack, tenant, { order: "desc", limit: "2" });
  const other = await list(stack, tenant, { order: "asc", limit: "2", cursor: first.nextCursor });
  assertEquals([other.status, other.body.issues[0].path], [400, "cursor"]);
  await stack.send(tenant, { ...text, message: "new" });
  const { body: again } = await list(stack, tenant, { order: "desc", limit: "1" });
  assertEquals(saysOf(again.items), ["new"]);
  const { body: rest } = await list(stack, tenant, {
    ...{ order: "desc", limit: "1000", cursor: first.nextCursor },
  });
  assertEquals(rest.items.length, 5, "the walk goes on where it was");
  // As without `order`: cursors of both lead on.
  const { body: asc } = await list(stack, tenant, { order: "asc", limit: "1" });
  const plain = await list(stack, tenant, { limit: "1", cursor: asc.nextCursor });
  assertEquals([plain.status, saysOf(plain.body.items)], [200, ["queued"]]);
  const { status } = await list(stack, tenant, { order: "newest" });
  assertEquals(status, 400);
});

Deno.test("a message in flight is listed as sending and not as queued", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { ...text, message: "later", delayMessage: 600 });
  await stack.send(tenant, { ...text, message: "in flight", delayMessage: 600 });
  await stack.admin`
    update messaging.message_queue q set claim_token = gen_random_uuid(),
      lease_until = now() + interval '1 minute'
    from messaging.messages m where m.id = q.message_id and m.message = 'in flight'`;
  assertEquals(saysOf(await readAll(stack, tenant, { status: "sending" })), ["in flight"]);
  assertEquals(saysOf(await readAll(stack, tenant, { status: "queued" })), ["later"]);
});

Deno.test("a page's cursor stays good while messages come, change and share one instant", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (let number = 0; number < 5; number++) {
    await stack.send(tenant, { ...text, message: `m${number}`, delayMessage: 600 });
  }
  await stack.admin`update messaging.messages set created_at = '2026-01-01T00:00:00.000123Z'`;
  const first = await list(stack, tenant, { limit: "2" });
  for (const { messageId } of first.body.items) {
    await stack.messages(tenant, "DELETE", `/messages/${messageId}`);
  }
  await stack.send(tenant, { ...text, message: "m5" });
  const rest = await list(stack, tenant, { cursor: first.body.nextCursor });
  const says = saysOf([...first.body.items, ...rest.body.items]);
  assertEquals([says.toSorted(), says.at(-1)], [["m0", "m1", "m2", "m3", "m4", "m5"], "m5"]);
  assertEquals(rest.body.nextCursor, null);
});

Deno.test("the id of a merged contact lists the survivor's messages", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body: kept } = await stack.send(tenant, { ...text, message: "one" });
  const { body: gone } = await stack.send(tenant, {
    ...{ ...text, phone: "5511987650002", message: "two" },
  });
  await stack.admin`
    select messaging.merge_contacts(kept, gone)
    from messaging.contacts kept, messaging.contacts gone
    where kept.id = ${kept.contactId} and gone.id = ${gone.contactId}`;
  for (const contactId of [kept.contactId, gone.contactId]) {
    assertEquals(saysOf(await readAll(stack, tenant, { contactId })), ["one", "two"]);
  }
});

Deno.test("an unknown contact and another tenant's are one 404; what no filter can mean is a 400 by name", async () => {
  await using stack = await startMessagingStack();
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const { body: foreign } = await stack.send(neighbour, text);
  for (const contactId of [foreign.contactId, crypto.randomUUID()]) {
    const { status, body } = await list(stack, tenant, { contactId });
    assertEquals([status, body.error, body.message], [
      404,
      "contact_not_found",
      "The instance has no such contact.",
    ]);
  }
  const cases: [Query, string][] = [
    [{ contactId: "x" }, "contactId"],
    [{ contactId: foreign.contactId, userId: "BR.1" }, "userId"],
    [{ userId: "1" }, "userId"],
    [{ batchId: "x" }, "batchId"],
    [{ status: "gone" }, "status"],
    [{ direction: "up" }, "direction"],
    [{ since: "yesterday" }, "since"],
    [{ until: "2026-11-20" }, "until"],
    [{ since: "2026-11-20T12:00:00Z", until: "2026-11-20T11:59:59Z" }, "until"],
    [{ cardId: "" }, "cardId"],
    [{ limit: "0" }, "limit"],
    [{ limit: "100000" }, "limit"],
    [{ cursor: "x" }, "cursor"],
  ];
  for (const [query, path] of cases) {
    const { status, body } = await list(stack, tenant, query);
    assertEquals(
      [status, body.error, body.issues?.[0]?.path],
      [400, "invalid_request", path],
      JSON.stringify(query),
    );
  }
  const { status, body } = await list(stack, tenant, { instanceId: neighbour.instanceId });
  assertEquals([status, body.error], [404, "Instance not found"]);
});
