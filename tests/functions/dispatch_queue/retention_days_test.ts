/** How long an instance keeps its messages, files and webhook payloads: `retention`. */

import { assert, assertEquals } from "../../support/assert.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  type ErasureWorld,
  neighbour,
  person,
  sender,
  startErasureWorld,
  text,
} from "../contacts_api/erasure_world.ts";
import { secretKey } from "../../support/stack/messaging_stack.ts";

const day = 24 * 3_600;

async function keep(
  { contract, tenant }: ErasureWorld,
  retention: Readonly<Record<string, number | null>>,
): Promise<void> {
  const path = `/admin-api/instances/${tenant.instanceId}`;
  const response = await contract.request("admin-api", path, {
    method: "PATCH",
    headers: { apikey: secretKey, "Content-Type": "application/json" },
    body: JSON.stringify({ retention }),
  });
  const body = await response.json();
  assertEquals(response.status, 200, JSON.stringify(body));
}

async function write(
  world: ErasureWorld,
  who: typeof person | typeof neighbour,
  body: string,
): Promise<void> {
  await world.receive({
    contacts: [sender(who)],
    messages: [text(`wamid.${crypto.randomUUID()}`, who.phone, body)],
  });
}

async function listTexts(world: ErasureWorld): Promise<string[]> {
  const { items } = await world.succeed("GET", "messages-api/messages");
  return items.map(({ message }: { message: string }) => message).sort();
}

Deno.test("messages past their days go; the rest, what waits, contacts and conversations stay", async () => {
  await using world = await startErasureWorld();
  const { stack, succeed } = world;
  await keep(world, { messagesDays: 10 });
  await write(world, neighbour, "vizinha antiga");
  await write(world, person, "antiga");
  await succeed("POST", "send-message", {
    ...{ phone: neighbour.phone, messageType: "text", message: "espera", delayMessage: 86_400 },
  });
  await stack.admin`
    update messaging.message_queue set visible_at = now() + interval '20 days',
      scheduled_at = now() + interval '20 days'`;
  await letTimePass(stack.admin, 9 * day);
  await write(world, person, "nova");
  await stack.dispatch();
  assertEquals(await listTexts(world), ["antiga", "espera", "nova", "vizinha antiga"]);
  const before = new Date();
  await letTimePass(stack.admin, 1.1 * day);
  await stack.dispatch();
  assertEquals(await listTexts(world), ["espera", "nova"]);

  const { items } = await succeed("GET", "contacts-api/contacts");
  const shown = Object.fromEntries(
    items.map(({ phone, conversation }: { phone: string; conversation: Answer }) => [
      phone,
      conversation.lastMessageAt !== null,
    ]),
  );
  assertEquals(shown, { [person.phone]: true, [neighbour.phone]: false });
  const awaiting = await succeed("GET", "conversations-api/conversations?awaitingReply=true");
  assertEquals(awaiting.items.length, 1, "the neighbour's question is gone");
  const changed = await succeed(
    "GET",
    `contacts-api/contacts?updatedSince=${encodeURIComponent(before.toISOString())}`,
  );
  assertEquals(changed.items.map(({ phone }: { phone: string }) => phone), [neighbour.phone]);
  const [start, end] = [-20, 1].map((days) =>
    new Date(Date.now() + days * day * 1_000).toISOString().slice(0, 10)
  );
  const history = await succeed(
    "GET",
    `messages-context?instanceId=${world.tenant.instanceId}&phone=${person.phone}&start=${start}&end=${end}`,
  );
  assertEquals([history.totalMessages, history.hasMore], [1, false]);
});

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Answer = any;

Deno.test("the list of a batch goes with its messages once it has ended, and one that runs stays", async () => {
  await using world = await startErasureWorld();
  const { stack, succeed } = world;
  await keep(world, { messagesDays: 5 });
  const create = (name: string): Promise<Answer> =>
    succeed("POST", "batches-api/batches", {
      ...{ name, message: { messageType: "text", message: "lista antiga" } },
      recipients: [{ phone: person.phone }, { phone: neighbour.phone }],
    });
  const [draft, canceled, running] = [await create("a"), await create("b"), await create("c")];
  for (const { batchId } of [canceled, running]) {
    await succeed("POST", `batches-api/batches/${batchId}/start`, {});
  }
  await succeed("POST", `batches-api/batches/${canceled.batchId}/cancel`, {});
  const listBatches = async (): Promise<string[]> =>
    (await stack.admin<{ id: string }[]>`
      select distinct batch_id::text as id from messaging.batch_recipients`).map(({ id }) => id);
  assertEquals((await listBatches()).length, 3);
  await letTimePass(stack.admin, 6 * day);
  await stack.admin`
    update messaging.message_queue set scheduled_at = now() + interval '20 days'`;
  await stack.dispatch();
  assertEquals(await listBatches(), [running.batchId]);
  const { items } = await succeed("GET", "batches-api/batches");
  assertEquals(items.map(({ batchId }: Answer) => batchId), [running.batchId]);
  assert(draft.batchId !== undefined);
});

Deno.test("an event does not outlive its message, and the feed says where it begins now", async () => {
  await using world = await startErasureWorld();
  const { stack, call, succeed } = world;
  const begin = await succeed("GET", "events-api/events?after=oldest");
  await keep(world, { messagesDays: 5 });
  await write(world, person, "jabuticaba");
  await letTimePass(stack.admin, 6 * day);
  await write(world, neighbour, "depois");
  await stack.dispatch();
  const [left] = await stack.admin`
    select count(*)::int as count from messaging.events e where e::text like '%jabuticaba%'`;
  assertEquals(left?.["count"], 0);
  const cursor = encodeURIComponent(begin.nextCursor);
  const { status, body } = await call("GET", `events-api/events?after=${cursor}`);
  assertEquals([status, body.error], [410, "cursor_expired"]);
  const next = await succeed(
    "GET",
    `events-api/events?after=${encodeURIComponent(body.oldestCursor)}&types=message.received`,
  );
  assertEquals(next.items.map(({ data }: Answer) => data.message), ["depois"]);
});

Deno.test("each instance keeps payloads for its own days; null is for ever; 30 by default", async () => {
  await using world = await startErasureWorld();
  const { stack, sql } = world;
  const short = world.tenant;
  const [forever, usual] = [await stack.createTenant(), await stack.createTenant()];
  await keep(world, { providerEventsDays: 3 });
  await keep({ ...world, tenant: forever }, { providerEventsDays: null });
  for (const { instanceId } of [short, forever, usual]) {
    await sql`
      insert into messaging.provider_events (instance_id, payload) values (${instanceId}, '{}')`;
  }
  const names = new Map([
    [short.instanceId, "short"],
    [forever.instanceId, "forever"],
    [usual.instanceId, "usual"],
  ]);
  const readKept = async (): Promise<(string | undefined)[]> => {
    await stack.dispatch();
    const rows = await sql`select instance_id from messaging.provider_events`;
    return rows.map((row) => names.get(row["instance_id"])).sort();
  };
  assertEquals(await readKept(), ["forever", "short", "usual"]);
  await letTimePass(sql, 3.1 * day);
  assertEquals(await readKept(), ["forever", "usual"]);
  await letTimePass(sql, 27 * day);
  assertEquals(await readKept(), ["forever"]);
  await letTimePass(sql, 400 * day);
  assertEquals(await readKept(), ["forever"]);
});

Deno.test("a file past its days is expired, and its message stays", async () => {
  await using world = await startErasureWorld();
  const { sql, stack, tenant } = world;
  await keep(world, { mediaDays: 7 });
  const { instanceId } = tenant;
  await sql`
    insert into messaging.media (
      instance_id, origin, kind, status, mime_type, size, sha256, storage_path, stored_at
    )
    select ${instanceId}, 'channel', 'image', 'stored', 'image/png', 1, repeat('a', 64), 'x/' || n, now()
    from generate_series(1, 3) as n`;
  await stack.dispatch();
  const read = async (): Promise<unknown[]> =>
    (await sql`select status, storage_path is null as is_gone from messaging.media`)
      .map((row) => [row["status"], row["is_gone"]]);
  assertEquals(await read(), Array(3).fill(["stored", false]));
  await letTimePass(sql, 7.1 * day);
  await stack.dispatch();
  assertEquals(await read(), Array(3).fill(["expired", true]));
});

Deno.test("a pass deletes no more messages than its bound, and reads no more than it deletes", async () => {
  await using world = await startErasureWorld();
  const { sql, stack, tenant } = world;
  await write(world, person, "uma");
  await sql`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status,
      provider_message_id, sent_at, created_at
    )
    select m.instance_id, m.contact_id, m.conversation_id, m.direction, m.message_type, 'velha',
      m.status, 'old-' || n, now() - interval '40 days', now() - interval '40 days' + n * interval '1 s'
    from messaging.messages m cross join generate_series(1, 3000) as n`;
  await sql`delete from messaging.events`;
  // Rows that are deleted are still in the indexes, and would count.
  await sql`vacuum analyze`;
  const idle = await countRowsRead(
    sql,
    (sql) => sql`select public.purge_expired('{"maxRows": 500}')`,
  );
  await keep(world, { messagesDays: 30 });
  const busy = await countRowsRead(
    sql,
    (sql) => sql`select public.purge_expired('{"maxRows": 500}')`,
  );
  assert(idle < 200, `${idle} rows read where nothing is due`);
  assert(busy - idle < 8 * 500, `${busy} rows read to delete 500`);
  const pass = await stack.database.rpc("purge_expired", { maxRows: 500 });
  assertEquals([pass.purged >= 500, pass.isComplete], [true, false]);
  const [left] = await sql`
    select count(*)::int as count,
      min(substring(provider_message_id from '^old-(\\d+)$')::int) as oldest
    from messaging.messages where instance_id = ${tenant.instanceId}`;
  assertEquals({ ...left }, { count: 2_501, oldest: 501 });
});
