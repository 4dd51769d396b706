/** What a page of conversations reads, whatever the filters and however many conversations there are. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMostRowsRead } from "../../support/database/rows_read.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

interface Page {
  readonly items: readonly { readonly contact: { readonly name: string } }[];
  readonly next: unknown;
}

const few = 1_000;
const many = 30_000;
/** A page reads at most 5,000 conversations: of each the row, what the filters ask for, and their indexes. */
const mostReads = 6 * 5_000;

/** Their e-mails. */
const operators = { most: "most@example.com", rare: "rare@example.com" };

async function createDepartment(sql: Sql, workspaceId: string): Promise<string> {
  await sql`
    insert into messaging.operators (id, workspace_id, name, email)
    select md5(email)::uuid, ${workspaceId}::uuid, 'O', email
    from unnest(array[${operators.most}, ${operators.rare}]) as email`;
  const [row] = await sql<{ id: string }[]>`
    insert into messaging.departments (workspace_id, name) values (${workspaceId}, 'D') returning id`;
  return row?.id ?? "";
}

/**
 * One conversation a second from 2026 on, which is also when it last changed. Of ten, one is closed, one
 * awaits a reply, five are of the department and of one operator; of a hundred, one is of another.
 */
async function createConversations(
  sql: Sql,
  instanceId: string,
  departmentId: string,
  count: number,
): Promise<void> {
  await sql.begin(async (transaction) => {
    // Without the triggers, which would take the present as the instant of every change.
    await transaction`set local session_replication_role = replica`;
    await transaction`
      with numbers as materialized (
        select n, md5('c' || n)::uuid as id, timestamptz '2026-01-01Z' + n * interval '1 s' as at
        from generate_series(0, ${count - 1}::integer) n
        where n >= (select count(*) from messaging.contacts)
      ),
      added as (
        insert into messaging.contacts (id, instance_id, phone, identity_key, name, origin)
        select id, ${instanceId}::uuid, 5511900000000 + n, 5511900000000 + n, n, 'api' from numbers
      ),
      changed as (
        insert into messaging.contact_activity (contact_id, instance_id, updated_at, awaits_reply)
        select id, ${instanceId}, at, n % 10 = 3 from numbers
      )
      insert into messaging.conversations (id, instance_id, contact_id, status, assigned_to,
        department_id, created_at)
      select id, ${instanceId}, id, case when n % 10 = 7 then 'closed' else 'open' end,
        case
          when n % 2 = 0 then md5(${operators.most})::uuid
          when n % 100 = 1 then md5(${operators.rare})::uuid
        end,
        case when n % 2 = 0 then ${departmentId}::uuid end, at
      from numbers`;
    await transaction`
      insert into messaging.tags (id, instance_id, name, color)
      select md5(name)::uuid, ${instanceId}, name, '#aabbcc' from unnest(array['common', 'rare']) as name
      on conflict do nothing`;
    await transaction`
      insert into messaging.contact_tags (contact_id, tag_id)
      select c.id, md5(t.name)::uuid
      from messaging.contacts c
      join (values ('common', 3, 0), ('rare', 100, 17)) as t(name, every, place)
        on c.name::integer % t.every = t.place
      on conflict do nothing`;
  });
}

const after = { createdAt: "2026-01-01T00:10:00Z", id: "00000000-0000-0000-0000-000000000000" };

for (const analyzed of ["never", "now"] as const) {
  Deno.test(`a page of 100 conversations reads as much of 30,000 as of 1,000, whatever the filters, analyzed ${analyzed}`, async (test) => {
    await using database = await createTestDatabase({ own: true });
    const { admin } = database;
    const { instanceId, workspaceId } = await createTenant(admin);
    const departmentId = await createDepartment(admin, workspaceId);
    await createConversations(admin, instanceId, departmentId, few);
    if (analyzed === "now") await admin`vacuum analyze`;
    const session = database.connect({ role: "superuser", max: 1 });
    await session`set statement_timeout = '120s'`;
    const measure = (filter: Record<string, unknown>): Promise<number> => {
      const request = { limit: 100, after: null, instanceId, ...filter };
      return countMostRowsRead(session, (sql) => callFunction(sql, "list_conversations", request));
    };
    // Pages that an index finds, or that the first conversations fill: they read what they show.
    const cheap: Record<string, unknown>[] = [
      {},
      { after },
      { status: "open" },
      { status: "closed" },
      { status: "pending" },
      { assignedTo: operators.most, after },
      { departmentId },
      { awaitingReply: false },
      { updatedSince: "2026-01-01T00:10:00Z" },
      { updatedSince: "2026-01-01T00:00:00Z", after },
      { updatedSince: "2026-01-01T00:00:00Z", status: "open", departmentId },
    ];
    // Pages that read more: they count how many a filter leaves, or the order does not tell where these are.
    const dear: Record<string, unknown>[] = [
      { assignedTo: operators.rare },
      { tag: "common" },
      { tag: "rare" },
      { awaitingReply: true },
      { awaitingReply: true, status: "open" },
      { assignedTo: operators.most, departmentId, status: "open" },
      { assignedTo: operators.rare, status: "closed" },
      { tag: "common", awaitingReply: true, departmentId, after },
      { tag: "rare", status: "open" },
      { departmentId, status: "closed" },
      { updatedSince: "2026-01-01T00:00:00Z", tag: "rare", status: "open" },
      { updatedSince: "2026-01-01T00:00:00Z", assignedTo: operators.rare },
    ];
    const before = new Map<unknown, number>();
    for (const filter of cheap) before.set(filter, await measure(filter));
    await createConversations(admin, instanceId, departmentId, many);
    if (analyzed === "now") await admin`vacuum analyze`;
    for (const filter of cheap) {
      await test.step(JSON.stringify(filter), async () => {
        const [then, now] = [before.get(filter) ?? 0, await measure(filter)];
        assert(now <= 2 * then + 400, `${then} rows read of ${few}, ${now} of ${many}`);
      });
    }
    for (const filter of dear) {
      await test.step(JSON.stringify(filter), async () => {
        const now = await measure(filter);
        assert(now <= mostReads, `${now} rows read of ${many}`);
      });
    }
    await test.step("and the pages hold every conversation, in order", async () => {
      const filters: [Record<string, unknown>, (n: number) => boolean][] = [
        [{ awaitingReply: true }, (n) => n % 10 === 3],
        [{ awaitingReply: true, departmentId }, () => false],
        [{ tag: "common", status: "closed" }, (n) => n % 3 === 0 && n % 10 === 7],
        [{ assignedTo: operators.rare, status: "open" }, (n) => n % 100 === 1],
        [{ updatedSince: "2026-01-01T00:00:00Z", tag: "rare" }, (n) => n % 100 === 17],
      ];
      for (const [filter, isMeant] of filters) {
        const seen: number[] = [];
        let end: unknown = null;
        do {
          const request = { limit: 1_000, after: end, instanceId, ...filter };
          const page: Page = await callFunction(session, "list_conversations", request);
          seen.push(...page.items.map(({ contact }) => Number(contact.name)));
          end = page.next;
        } while (end !== null);
        const meant = Array.from({ length: many }, (_, n) => n).filter(isMeant);
        assertEquals(seen, meant, JSON.stringify(filter));
      }
    });
  });
}
