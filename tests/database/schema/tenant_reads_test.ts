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

/** Functions that look at all instances because that is what they are asked. */
const ofTheWholeProject = ["list_credentials_under_old_keys"];

/** Rows of every kind that another tenant has. */
const foreignRows = 5_000;
/** What a page, or a look at a due time that is another's, may read of them. */
const tolerated = 200;
/** A plan may become another one at the sixth call: the generic one, which knows no values. */
const calls = 7;

type Work = readonly [name: string, work: (sql: Sql) => Promise<unknown>];

/** What no function does, but a person: the cascades that a contact or an instance takes along. */
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
