/** The rule of the free entry point, beside a model of it, and what it reads. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom } from "../../support/seeded_random.ts";

const hour = 3_600_000;
const clock = Date.parse("2026-11-23T12:00:00.000Z");

/** A message of a contact's life. Instants in milliseconds. */
interface Told {
  readonly kind: "ad" | "inbound" | "outbound" | "failed" | "reaction";
  readonly sentAt: number;
  readonly storedAt: number;
}

/** The contract's sentence, read literally. */
function findEnd(life: readonly Told[]): number | null {
  const ends = life.filter(({ kind }) => kind === "ad").map((ad) => {
    const from = Math.max(ad.sentAt, Math.min(ad.storedAt, ad.sentAt + 1_000));
    const answers = life.filter(({ kind, sentAt }) =>
      kind === "outbound" && sentAt >= from && sentAt <= ad.sentAt + 24 * hour
    );
    return Math.min(...answers.map(({ sentAt }) => sentAt)) + 72 * hour;
  });
  const running = ends.filter((end) => end > clock && end < Infinity);
  return running.length === 0 ? null : Math.max(...running);
}

function readLastInbound(life: readonly Told[]): Date | null {
  const instants = life.filter(({ kind }) => kind === "ad" || kind === "inbound")
    .map(({ sentAt }) => sentAt);
  return instants.length === 0 ? null : new Date(Math.max(...instants));
}

async function storeContact(sql: Sql, instanceId: string, life: readonly Told[]): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into messaging.contacts (id, instance_id, identity_key, origin, last_inbound_at)
    values (${id}, ${instanceId}, ${id}, 'inbound', ${readLastInbound(life)})`;
  const conversationId = crypto.randomUUID();
  await sql`
    insert into messaging.conversations (id, instance_id, contact_id)
    values (${conversationId}, ${instanceId}, ${id})`;
  await sql`
    insert into messaging.messages (instance_id, contact_id, conversation_id, direction,
      message_type, message, content, status, failed_at, sent_at, created_at, mode)
    select ${instanceId}, ${id}, ${conversationId},
      case when kind in ('ad', 'inbound') then 'inbound' else 'outbound' end,
      case when kind = 'reaction' then 'reaction' else 'text' end, 'x',
      case kind
        when 'ad' then '{"referral": {"sourceType": "ad"}}'::jsonb
        when 'reaction' then jsonb_build_object(
          'reaction', jsonb_build_object('messageId', gen_random_uuid(), 'emoji', 'x')
        )
      end,
      case when kind in ('ad', 'inbound') then 'received' when kind = 'failed' then 'failed'
        else 'sent' end,
      case when kind = 'failed' then now() end, sent_at::timestamptz, stored_at::timestamptz,
      case when kind not in ('ad', 'inbound') then 'sent' end
    from unnest(
      ${life.map(({ kind }) => kind)}::text[],
      ${life.map(({ sentAt }) => new Date(sentAt).toISOString())}::text[],
      ${life.map(({ storedAt }) => new Date(storedAt).toISOString())}::text[]
    ) as told(kind, sent_at, stored_at)`;
  return id;
}

async function readEnd(sql: Sql, contactId: string): Promise<number | null> {
  const [row] = await sql<{ ends_at: Date }[]>`
    select f.ends_at from messaging.contacts c
    cross join lateral messaging.free_entry_point(
      c.id, c.last_inbound_at, ${new Date(clock)}
    ) f
    where c.id = ${contactId}`;
  return row === undefined ? null : row.ends_at.getTime();
}

Deno.test("the end of a free entry point is the model's, over random lives", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const kinds = ["ad", "ad", "inbound", "outbound", "failed", "reaction"] as const;
  let running = 0;
  for (let seed = 0; seed < 150; seed++) {
    const random = createSeededRandom(seed);
    // A short life has several messages a second, a long one pauses of days.
    const spanMs = [3_000, 30 * hour, 200 * hour][seed % 3]!;
    const endsAt = clock - random.between(0, 60 * hour);
    const life = Array.from({ length: Math.floor(random.between(1, 12)) }, (): Told => {
      const kind = kinds[Math.floor(random.between(0, kinds.length))]!;
      const storedAt = Math.floor(endsAt - random.between(0, spanMs));
      const isInbound = kind === "ad" || kind === "inbound";
      return {
        kind,
        storedAt,
        sentAt: isInbound ? Math.floor(storedAt / 1_000) * 1_000 : storedAt,
      };
    });
    const end = findEnd(life);
    running += end === null ? 0 : 1;
    const contactId = await storeContact(admin, instanceId, life);
    assertEquals(await readEnd(admin, contactId), end, `seed ${seed}: ${JSON.stringify(life)}`);
  }
  assert(running > 30 && running < 120, `${running} of 150 run`);
});

Deno.test("a contact whom no ad brought reads nothing for it, and another each of its messages once", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const life = (kind: "ad" | "inbound", count: number): Told[] =>
    Array.from({ length: count }, (_, number) => {
      const sentAt = clock - 20 * hour + number * 1_000;
      return { kind, sentAt, storedAt: sentAt };
    });
  const plain = await storeContact(admin, instanceId, life("inbound", 2_000));
  const insistent = await storeContact(admin, instanceId, life("ad", 2_000));
  await admin`vacuum analyze messaging.messages`;
  const session = database.connect({ role: "superuser", max: 1 });
  await session`set enable_seqscan = off`;
  const count = (id: string) => countRowsRead(session, (sql) => readEnd(sql, id));
  const [none, most] = [await count(plain), await count(insistent)];
  assert(none <= 20, `${none} rows without an ad`);
  // Of each its index entry and its row, as an ad and as a message that is no answer.
  assert(most <= 5 * 2_000, `${most} rows for 2,000 ads`);
});
