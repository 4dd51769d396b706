import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  countMostRowsRead,
  countRowsRead,
  countRowsReadBy,
} from "../../support/database/rows_read.ts";
import { createForeignRows } from "../../support/fixtures/foreign_rows.ts";
import { createSmallTenant, tenantRequests } from "../../support/fixtures/tenant_requests.ts";
import { listRpcs, tenantWorks, wholeProjectRpcs } from "../../support/fixtures/tenant_works.ts";

/** Rows of each kind of the other tenant. */
const foreignRows = 2_000;
/** Allowed reads of the other tenant's rows: a page, or a check of a due time. */
const tolerated = 200;
/**
 * Works that a plan for any values would let read far more: Postgres sees that and goes on planning for the
 * values. Whether it does shows from the sixth call on.
 */
const plannedForValues = [
  ...[
    "change_contact_tags",
    "hold_queue",
    "list_ai_agents",
    "list_departments",
    "list_instances 1",
  ],
  ...["list_message_templates 1", "list_message_templates 2", "list_message_templates 3"],
  ...["list_operators", "list_outbox 1"],
  ...["list_outbox 2", "release_queue", "save_contact", "an instance is deleted"],
];
const calls = 7;

Deno.test("no SQL function and no deletion reads more rows because another tenant has more", async (test) => {
  // A new one: what former tests have deleted stands in the indexes until they are vacuumed.
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const tenant = await createSmallTenant(admin);

  await test.step("every function that TypeScript calls has its case, here and in the bench growth", async () => {
    assertEquals(
      [...Object.keys(tenantRequests(tenant)), ...wholeProjectRpcs].sort(),
      await listRpcs(admin),
    );
  });

  // The bench growth has the deletion of a workspace: it checks more keys, each by an index, than the
  // tolerance counts rows for.
  const works = tenantWorks(tenant).filter(([name]) => name !== "a workspace is deleted");
  type Work = (sql: Sql) => Promise<unknown>;
  type Count = (session: Sql, work: Work, name: string) => Promise<number>;
  const measure = async (count: Count): Promise<Map<string, number>> => {
    const session = database.connect({ role: "superuser", max: 1 });
    const reads = new Map<string, number>();
    for (const [name, statement] of works) {
      // A deletion looks at every row of the tenant, and by an index also at the dead ones that the
      // works before it have left; a small table is read without one, and counts none.
      if (name.endsWith("is deleted")) await admin`vacuum (index_cleanup on)`;
      reads.set(name, await count(session, (sql) => sql.unsafe(statement), name));
    }
    return reads;
  };
  await admin`analyze`;
  const before = await measure((session, work) =>
    countRowsReadBy("force_custom_plan", session, work)
  );
  // Dead rows of the first measurement would be read by the second one.
  await admin`vacuum`;
  await createForeignRows(admin, foreignRows);
  const after = await measure(async (session, work, name) => {
    if (!plannedForValues.includes(name)) return await countMostRowsRead(session, work);
    const reads: number[] = [];
    while (reads.length < calls) reads.push(await countRowsRead(session, work));
    return Math.max(...reads);
  });
  for (const [name, rows] of after) {
    await test.step(name, () => {
      const more = rows - (before.get(name) ?? 0);
      assert(more <= tolerated, `${more} rows more beside ${foreignRows} foreign ones`);
    });
  }
});
