/** What a page of conversations reads, whatever the filters and however many conversations there are. */

import type { Sql } from "postgres";
import { checkListReads } from "../../support/database/list_reads.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

interface Item {
  readonly contact: { readonly name: string };
}

const instanceId = crypto.randomUUID();
const departmentId = crypto.randomUUID();
const few = 1_000;
const many = 30_000;
/** A page reads at most 5,000 conversations: of each the row, what the filters ask for, and their indexes. */
const mostReads = 6 * 5_000;

/** Their e-mails. */
const operators = { most: "most@example.com", rare: "rare@example.com" };

async function createTeam(sql: Sql): Promise<void> {
  const { workspaceId } = await createTenant(sql, { instanceId });
  await sql`
    insert into messaging.operators (id, workspace_id, name, email)
    select md5(email)::uuid, ${workspaceId}::uuid, 'O', email
    from unnest(array[${operators.most}, ${operators.rare}]) as email`;
  await sql`
    insert into messaging.departments (id, workspace_id, name)
    values (${departmentId}, ${workspaceId}, 'D')`;
}

/**
 * One conversation a second from 2026 on, which is also when it last changed. Of ten, one is closed, one
 * awaits a reply, five are of the department and of one operator; of a hundred, one is of another.
 */
async function createConversations(sql: Sql, count: number): Promise<void> {
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

Deno.test("a page of 100 conversations reads as much of 30,000 as of 1,000, whatever the filters", (test) =>
  checkListReads<Item>(test, {
    rpc: "list_conversations",
    instanceId,
    few,
    many,
    prepare: createTeam,
    fill: createConversations,
    cheap: [
      {},
      { order: "desc" },
      { order: "desc", status: "open" },
      { order: "desc", departmentId, after },
      { order: "desc", assignedTo: operators.most },
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
    ],
    dear: [
      { order: "desc", tag: "rare" },
      { order: "desc", awaitingReply: true },
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
    ],
    mostReads: () => mostReads,
    walks: [
      [{ awaitingReply: true }, (n) => n % 10 === 3],
      [{ awaitingReply: true, departmentId }, () => false],
      [{ tag: "common", status: "closed" }, (n) => n % 3 === 0 && n % 10 === 7],
      [{ assignedTo: operators.rare, status: "open" }, (n) => n % 100 === 1],
      [{ updatedSince: "2026-01-01T00:00:00Z", tag: "rare" }, (n) => n % 100 === 17],
    ],
    numberOf: ({ contact }) => Number(contact.name),
  }));
