/** `updatedSince` misses nothing, though transactions commit out of the order of their instants. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { waitUntil } from "../../support/wait_until.ts";

async function addContacts(
  sql: Sql,
  instanceId: string,
  phones: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select ${instanceId}::uuid, phone, phone, 'api' from unnest(${[...phones]}::text[]) as phone
    returning id`;
  return rows.map(({ id }) => id);
}

const touch = (sql: Sql, ids: readonly string[]): Promise<unknown> =>
  sql`select messaging.touch_contacts(${[...ids]}::uuid[])`;

/** The contacts whose changes a reader may see now, in the order in which it sees them. */
async function readBelowHorizon(sql: Sql, instanceId: string): Promise<string[]> {
  const [row] = await sql<{ horizon: Date }[]>`
    select messaging.change_horizon(${instanceId}::uuid) as horizon`;
  assert(row !== undefined);
  const rows = await sql<{ contact_id: string }[]>`
    select contact_id from messaging.contact_activity
    where instance_id = ${instanceId} and updated_at < ${row.horizon}
    order by updated_at, contact_id`;
  return rows.map(({ contact_id }) => contact_id);
}

Deno.test("a contact has its activity as soon as it is stored, whatever stores it", async () => {
  await using database = await createTestDatabase();
  const tenants = [await createTenant(database.admin), await createTenant(database.admin)];
  for (const { instanceId } of tenants) {
    await addContacts(database.admin, instanceId, ["5511987650001", "5511987650002"]);
  }
  const rows = await database.admin`
    select from messaging.contacts c
    join messaging.contact_activity a on a.contact_id = c.id and a.instance_id = c.instance_id
    where a.updated_at between now() - interval '1 minute' and clock_timestamp()`;
  assertEquals(rows.length, 4);
});

Deno.test("a change that commits late is not passed by one that began later and has committed", async () => {
  await using database = await createTestDatabase();
  const sessions = await openSessions(database);
  const { instanceId } = await createTenant(database.admin);
  const other = await createTenant(database.admin);
  const [slow = "", quick = ""] = await addContacts(database.admin, instanceId, [
    "5511987650001",
    "5511987650002",
  ]);
  const [elsewhere = ""] = await addContacts(database.admin, other.instanceId, ["5511987650003"]);
  await waitUntil(async () => (await readBelowHorizon(database.admin, instanceId)).length === 2);
  await sessions.one.unsafe("begin");
  await touch(sessions.one, [slow]);
  await sessions.two`select pg_sleep(0.005)`;
  await touch(sessions.two, [quick]);
  assertEquals(await readBelowHorizon(sessions.two, instanceId), [slow], "as it was before");
  await touch(sessions.two, [elsewhere]);
  await waitUntil(async () =>
    (await readBelowHorizon(sessions.two, other.instanceId)).includes(elsewhere)
  );
  await sessions.one.unsafe("commit");
  await waitUntil(async () => (await readBelowHorizon(sessions.two, instanceId)).length === 2);
  assertEquals(await readBelowHorizon(sessions.two, instanceId), [slow, quick]);
});

Deno.test("two transactions that touch the same contacts in opposite orders do not deadlock", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const ids = await addContacts(
    database.admin,
    instanceId,
    Array.from({ length: 40 }, (_, n) => String(5511987650001 + n)),
  );
  await Promise.all(
    Array.from({ length: 60 }, (_, n) => touch(database.sql, n % 2 === 0 ? ids : ids.toReversed())),
  );
});

Deno.test("a contact from before the table gets its row when it changes", async () => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const [id = ""] = await addContacts(database.admin, instanceId, ["5511987650001"]);
  await database.admin`delete from messaging.contact_activity`;
  await touch(database.sql, [id]);
  const rows = await database.admin<{ contact_id: string }[]>`
    select contact_id from messaging.contact_activity where updated_at > now() - interval '1 minute'`;
  assertEquals(rows.map(({ contact_id }) => contact_id), [id]);
});
