import type { Sql } from "postgres";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant, type Tenant } from "../../support/fixtures/tenant.ts";

interface Noted {
  readonly state: string;
  readonly lacksCommits?: boolean;
  readonly held?: number;
}

const note = (sql: Sql, promotion = "hold"): Promise<Noted> =>
  callFunction(sql, "note_server", { promotion });

/** As if the database had been on another server before: of an earlier timeline, or another cluster. */
async function comeFrom(
  sql: Sql,
  { isSynchronous = false, isOtherCluster = false, seenMinutesAgo = 0 } = {},
): Promise<void> {
  await note(sql);
  await sql`
    update messaging.database_servers
    set timeline = 0, is_synchronous = ${isSynchronous},
      seen_at = now() - make_interval(mins => ${seenMinutesAgo}),
      system_identifier = system_identifier + ${isOtherCluster ? 1 : 0}`;
}

async function readHolds(sql: Sql, tenants: readonly Tenant[]): Promise<(string | null)[]> {
  const rows = await sql<{ id: string; reason: string | null }[]>`
    select instance_id as id, operator_hold_reason as reason from messaging.dispatch`;
  return tenants.map(({ instanceId }) => rows.find(({ id }) => id === instanceId)?.reason ?? null);
}

Deno.test("a server is noted once, and a promotion is told to one caller", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  assertEquals([await note(admin), await note(admin)], [{ state: "known" }, { state: "known" }]);
  await comeFrom(admin);
  const told = await Promise.all(Array.from({ length: 8 }, () => note(admin)));
  assertEquals(told.filter(({ state }) => state === "promoted").length, 1);
  assertEquals(await note(admin), { state: "known" });
});

Deno.test("a server lacks commits unless the one before was synchronous, seen lately, of the same cluster and earlier", async () => {
  for (
    const [before, lacksCommits] of [
      [{ isSynchronous: true }, false],
      [{ isSynchronous: true, seenMinutesAgo: 11 }, true],
      [{ isSynchronous: false }, true],
      [{ isSynchronous: true, isOtherCluster: true }, true],
    ] as const
  ) {
    await using database = await createTestDatabase();
    const tenant = await createTenant(database.admin);
    await comeFrom(database.admin, before);
    const noted = await note(database.admin);
    assertEquals([noted.state, noted.lacksCommits], ["promoted", lacksCommits]);
    assertEquals(await readHolds(database.admin, [tenant]), [
      lacksCommits ? "database_promoted" : null,
    ]);
  }
});

Deno.test("an operator's hold without an end stays, one with an end and one of a suspect instance are replaced", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const tenants = [];
  for (let number = 0; number < 4; number++) tenants.push(await createTenant(admin));
  const [kept, ending, suspect] = tenants as [Tenant, Tenant, Tenant, Tenant];
  await callFunction(admin, "hold_queue", { instanceId: kept.instanceId, reason: "mine" });
  await callFunction(admin, "hold_queue", {
    ...{ instanceId: ending.instanceId, reason: "till later" },
    until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await admin`
    update messaging.dispatch set operator_hold_until = 'infinity', operator_hold_reason = 'suspect',
      suspected_at = now()
    where instance_id = ${suspect.instanceId}`;
  await comeFrom(admin);
  assertEquals((await note(admin)).held, 3);
  assertEquals(await readHolds(admin, tenants), [
    "mine",
    ...["database_promoted", "database_promoted", "database_promoted"],
  ]);
});

Deno.test("with continue nothing is held, and the numbers of events go on above those that may be lost", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const tenant = await createTenant(admin);
  const record = (): Promise<unknown> =>
    admin`select messaging.record_event(${tenant.instanceId}, null, 'instance.connected', '{}')`;
  await record();
  await comeFrom(admin);
  assertEquals((await note(admin, "continue")).held, 0);
  assertEquals(await readHolds(admin, [tenant]), [null]);
  await record();
  const [row] = await admin<{ jump: number }[]>`
    select (max(sequence) - min(sequence))::float as jump from messaging.events`;
  assert((row?.jump ?? 0) > 1_000_000_000);
});

Deno.test("a workspace is told once, and a session has its own time limit after the note", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { workspaceId } = await createTenant(admin);
  await createTenant(admin, { workspaceId });
  await admin`update messaging.workspaces set alert_email = 'ops@example.com'`;
  await comeFrom(admin);
  const direct = openDirectDatabase(database.url);
  try {
    await direct.rpc("list_workspaces", { limit: 1, after: null });
    const mails = await admin`select from messaging.outbox where kind = 'instance_held_email'`;
    assertEquals(mails.length, 1);
    await admin`
      create function public.show_limit(request jsonb) returns jsonb language sql
      return to_jsonb(current_setting('statement_timeout'))`;
    assertEquals(await direct.rpc("show_limit" as RpcName, {} as never) as unknown, "8s");
  } finally {
    await direct.close();
  }
});
