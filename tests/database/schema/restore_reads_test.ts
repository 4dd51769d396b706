import { assert } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMostRowsRead } from "../../support/database/rows_read.ts";
import { createForeignRows } from "../../support/fixtures/foreign_rows.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

/** Rows of another tenant: so few that a join by reading all messages looks cheap. */
const foreignRows = 500;
/** Its e-mails and replies: so many that their index by age looks cheap. */
const foreignOutbox = 60_000;

Deno.test("after a restore no call about an instance reads the messages and the outbox of other tenants", async (test) => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await createForeignRows(admin, foreignRows);
  await admin`
    insert into messaging.outbox (workspace_id, kind, payload, status, settled_at, run_at)
    select (select o.workspace_id from messaging.outbox o limit 1), 'agent_reply', '{}', s.status,
      s.settled_at, now() + interval '1 day'
    from generate_series(1, ${foreignOutbox / 2}::integer) n
    cross join (values ('pending', null), ('done', now())) as s(status, settled_at)`;
  await admin`vacuum analyze`;
  const session = database.connect({ role: "superuser", max: 1 });
  const request = { instanceId, since: "2099-01-01T00:00:00Z" };
  const cases = [
    ["list_may_have_left", { ...request, limit: 50, after: null }],
    ["settle_may_have_left", { ...request, action: "unconfirmed", maxMessages: 500 }],
  ] as const;
  for (const [name, ofName] of cases) {
    await test.step(name, async () => {
      const rows = await countMostRowsRead(session, (sql) => callFunction(sql, name, ofName));
      assert(rows < 200, `${rows} rows read beside those of another tenant`);
    });
  }
});
