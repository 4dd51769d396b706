/** What a page of messages reads, whatever the filters and however many messages there are. */

import type { Sql } from "postgres";
import { checkListReads } from "../../support/database/list_reads.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

interface Item {
  readonly message: string;
}

const instanceId = crypto.randomUUID();
/** `md5('c0')`, the first one. */
const contactId = "b0fce403-c178-fa57-404c-1cc4176547a8";
const few = 1_000;
const many = 30_000;
/** A page reads at most 5,000 messages, each by its index: two reads. The way is chosen before. */
const mostReads = 3 * 5_000 + 1_000;

/** One message a second from 2026 on, of 100 contacts; of ten, one failed, two wait, one is received. */
async function createMessages(sql: Sql, count: number): Promise<void> {
  await sql`
    insert into messaging.contacts (id, instance_id, phone, identity_key, origin)
    select md5('c' || n)::uuid, ${instanceId}::uuid, 5511900000000 + n, 5511900000000 + n, 'api'
    from generate_series(0, 99) n on conflict do nothing`;
  await sql`
    insert into messaging.conversations (id, instance_id, contact_id)
    select md5('c' || n)::uuid, ${instanceId}, md5('c' || n)::uuid
    from generate_series(0, 99) n on conflict do nothing`;
  await sql.begin(async (transaction) => {
    // The rows are consistent: without the checks of their keys.
    await transaction`set local session_replication_role = replica`;
    await transaction`
      insert into messaging.messages (instance_id, contact_id, conversation_id, direction, message_type,
        message, card_id, status, mode, sent_at, failed_at, created_at)
      select ${instanceId}, c.id, c.id, s.direction, 'text', n,
        case when n % 100 = 7 then 'card' end, s.status,
        case when s.direction = 'outbound' then 'queued' end,
        case when s.status in ('sent', 'received') then t.at end,
        case when s.status = 'failed' then t.at end, t.at
      from (
        select n from generate_series(0, ${count - 1}::integer) n
        where n >= (select count(*) from messaging.messages)
      ) as numbers
      cross join lateral (select md5('c' || n % 100)::uuid) as c(id)
      cross join lateral (select timestamptz '2026-01-01Z' + n * interval '1 s') as t(at)
      cross join lateral (
        select case n % 10 when 5 then 'inbound' else 'outbound' end,
          case n % 10 when 1 then 'failed' when 2 then 'queued' when 3 then 'queued' when 5 then 'received' else 'sent' end
      ) as s(direction, status)`;
    await transaction`
      insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
      select m.id, m.instance_id, l.lane, now() + interval '1 year',
        case l.lane when 'unpaced' then now() + interval '1 year' end
      from messaging.messages m
      cross join lateral (
        select case extract(second from m.created_at)::integer % 10 when 3 then 'paced' else 'unpaced' end
      ) as l(lane)
      where m.status = 'queued' on conflict do nothing`;
  });
}

Deno.test("a page of 100 messages reads as much of 30,000 as of 1,000, whatever the filters", (test) =>
  checkListReads<Item>(test, {
    rpc: "list_messages",
    instanceId,
    few,
    many,
    prepare: (admin) => createTenant(admin, { instanceId }),
    fill: createMessages,
    cheap: [
      {},
      { order: "desc" },
      { order: "desc", status: "failed" },
      { order: "desc", direction: "outbound", until: "2026-01-01T00:10:00Z" },
      { order: "desc", cardId: "card" },
      { after: { createdAt: "2026-01-01T00:10:00Z", id: "00000000-0000-0000-0000-000000000000" } },
      { since: "2026-01-01T00:10:00Z", until: "2026-01-01T00:11:00Z" },
      { direction: "outbound" },
      { status: "sent", direction: "outbound" },
      { status: "failed" },
      { cardId: "card", since: "2026-01-01T00:10:00Z" },
      { cardId: "card", direction: "outbound", since: "2026-01-01T00:10:00Z" },
    ],
    dear: [
      { contactId },
      { contactId, order: "desc" },
      { status: "queued", order: "desc" },
      { contactId, status: "failed" },
      { status: "received" },
      { status: "queued" },
      { status: "sending" },
      { status: "failed", contactId, since: "2026-01-01T00:10:00Z" },
      { status: "unconfirmed" },
      { status: "failed", cardId: "card" },
      { status: "queued", cardId: "card" },
    ],
    mostReads: () => mostReads,
    walks: [
      [{ status: "queued" }, (n) => n % 10 === 2 || n % 10 === 3],
      [{ status: "failed" }, (n) => n % 10 === 1],
      [{ status: "queued", cardId: "card" }, () => false],
      [{ contactId, status: "sent" }, (n) => n % 100 === 0],
      [{ contactId, order: "desc" }, (n) => n % 100 === 0],
      [{ status: "failed", order: "desc" }, (n) => n % 10 === 1],
    ],
    numberOf: ({ message }) => Number(message),
  }));
