import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createForeignRows } from "../../support/fixtures/foreign_rows.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import {
  createSmallTenant,
  type SmallTenant,
  tenantRequests,
} from "../../support/fixtures/tenant_requests.ts";

/** Functions whose purpose is to read all instances. */
const ofTheWholeProject = ["list_credentials_under_old_keys"];

/** Rows of each kind of the other tenant. */
const foreignRows = 5_000;
/** Allowed reads of the other tenant's rows: a page, or a check of a due time. */
const tolerated = 200;
/** From the sixth call on Postgres may use a generic plan, which ignores the values. */
const calls = 7;

type Work = readonly [name: string, work: (sql: Sql) => Promise<unknown>];

/** Deletions by a person, not by a function: the cascades of a contact and an instance. */
function deletions({ instanceId, phone }: SmallTenant): readonly Work[] {
  return [
    ["a contact is deleted", (sql) =>
      sql`
      delete from messaging.contacts where instance_id = ${instanceId} and phone = ${phone}`],
    [
      "an instance is deleted",
      (sql) => sql`delete from messaging.instances where id = ${instanceId}`,
    ],
  ];
}

Deno.test("no SQL function and no deletion reads more rows because another tenant has more", async (test) => {
  // A new one: what former tests have deleted stands in the indexes until they are vacuumed.
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const tenant = await createSmallTenant(admin);
  const requests = tenantRequests(tenant);

  await test.step("every function that TypeScript calls has its case", async () => {
    const rows = await admin<{ name: string }[]>`
      select p.proname as name from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prorettype = 'jsonb'::regtype
        and p.pronargs = 1 and p.proargtypes[0] = 'jsonb'::regtype
        and p.proargnames[1] = 'request'
      order by 1`;
    assertEquals(
      [...Object.keys(requests), ...ofTheWholeProject].sort(),
      rows.map(({ name }) => name),
    );
  });

  const works = [
    ...Object.entries(requests).flatMap(([name, ofName]) =>
      ofName.map((request, place): Work => [
        `${name} ${place}`,
        (sql) => callFunction(sql, name, request),
      ])
    ),
    ...deletions(tenant),
  ];
  const measure = async (): Promise<Map<string, number>> => {
    const session = database.connect({ role: "superuser", max: 1 });
    const reads = new Map<string, number>();
    for (const [name, work] of works) {
      for (let call = 0; call < calls; call++) {
        reads.set(name, Math.max(reads.get(name) ?? 0, await countRowsRead(session, work)));
      }
    }
    return reads;
  };
  await admin`analyze`;
  const before = await measure();
  await createForeignRows(admin, foreignRows);
  const after = await measure();
  for (const [name, rows] of after) {
    await test.step(name, () => {
      const more = rows - (before.get(name) ?? 0);
      assert(more <= tolerated, `${more} rows more beside ${foreignRows} foreign ones`);
    });
  }
});
