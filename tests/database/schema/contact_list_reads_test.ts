/** What a page of contacts reads, whatever the filters and however many contacts there are. */

import type { Sql } from "postgres";
import { checkListReads } from "../../support/database/list_reads.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

interface Item {
  readonly company: string;
}

const instanceId = crypto.randomUUID();
const few = 1_000;
const many = 20_000;
/**
 * A page reads at most 5,000 contacts in an order, and where `q` is given, 25,000 more: of each the row, what
 * the filters ask for, and their indexes.
 */
const mostReads = 3.5 * 5_000;
const mostSearchReads = mostReads + 2.5 * many;

/** Their e-mails. */
const operators = { most: "most@example.com", rare: "rare@example.com" };

async function createOperators(sql: Sql): Promise<void> {
  const { workspaceId } = await createTenant(sql, { instanceId });
  await sql`
    insert into messaging.operators (id, workspace_id, name, email)
    select md5(email)::uuid, ${workspaceId}::uuid, 'O', email
    from unnest(array[${operators.most}, ${operators.rare}]) as email`;
}

/**
 * One contact a second from 2026 on, which is also when it last changed; its number is its company. Every
 * second is called Maria, is of one operator and has granted its consent; of a hundred, one is called
 * Marilda, one is of another operator, and one has denied it. Zoraide are five hundred in a row.
 */
async function createContacts(sql: Sql, count: number): Promise<void> {
  await sql.begin(async (transaction) => {
    // Without the triggers, which would take the present as the instant of every change.
    await transaction`set local session_replication_role = replica`;
    await transaction`
      with numbers as materialized (
        select n, md5('c' || n)::uuid as id, timestamptz '2026-01-01Z' + n * interval '1 s' as at,
          case
            when n between 15000 and 15499 then 'Zoraide'
            when n % 2 = 0 then 'Maria'
            when n % 100 = 1 then 'Marilda'
            else 'João'
          end as name
        from generate_series(0, ${count - 1}::integer) n
        where n >= (select count(*) from messaging.contacts)
      ),
      added as (
        insert into messaging.contacts (id, instance_id, phone, identity_key, name, company, origin,
          consent_marketing, created_at)
        select id, ${instanceId}::uuid, 5511900000000 + n, 5511900000000 + n, name, n, 'api',
          case when n % 2 = 0 then 'granted' when n % 100 = 3 then 'denied' else 'unknown' end, at
        from numbers
      ),
      changed as (
        insert into messaging.contact_activity (contact_id, instance_id, updated_at)
        select id, ${instanceId}, at from numbers
      ),
      listed as (
        insert into messaging.contact_search (contact_id, instance_id, created_at, words)
        select id, ${instanceId}, at,
          concat_ws(e'\n', 5511900000000 + n, messaging.fold_text(name), n)
        from numbers
      )
      insert into messaging.conversations (id, instance_id, contact_id, assigned_to)
      select id, ${instanceId}, id, md5(case when n % 2 = 0 then ${operators.most}
        else ${operators.rare} end)::uuid
      from numbers
      where n % 2 = 0 or n % 100 = 1`;
    await transaction`
      insert into messaging.tags (id, instance_id, name, color)
      select md5(name)::uuid, ${instanceId}, name, '#aabbcc' from unnest(array['common', 'rare']) as name
      on conflict do nothing`;
    await transaction`
      insert into messaging.contact_tags (contact_id, tag_id)
      select c.id, md5(t.name)::uuid
      from messaging.contacts c
      join (values ('common', 3, 0), ('rare', 100, 17)) as t(name, every, place)
        on c.company::integer % t.every = t.place
      on conflict do nothing`;
  });
}

const after = { createdAt: "2026-01-01T00:10:00Z", id: "00000000-0000-0000-0000-000000000000" };
const numberSearch = { q: "5511900000500" };
const since = { updatedSince: "2026-01-01T00:00:00Z" };

/** Which contacts the lists below are to hold. */
const walks: readonly [Record<string, unknown>, (n: number) => boolean][] = [
  [{ q: "marilda" }, (n) => n % 100 === 1 && !isZoraide(n)],
  [{ q: "ZORAIDE" }, isZoraide],
  [{ q: "zoraide", tag: "common" }, (n) => isZoraide(n) && n % 3 === 0],
  [{ q: "joao", consent: "denied" }, (n) => n % 100 === 3 && !isZoraide(n)],
  [{ q: "jo", tag: "rare" }, (n) => n % 100 === 17 && !isZoraide(n)],
  [{ q: "maria", consent: "unknown" }, () => false],
  [{ tag: "rare", consent: "unknown" }, (n) => n % 100 === 17],
  [{ tag: "common", consent: "denied" }, (n) => n % 3 === 0 && n % 100 === 3],
  [{ assignedTo: operators.most, consent: "denied" }, () => false],
  [{ assignedTo: operators.rare, tag: "common" }, (n) => n % 100 === 1 && n % 3 === 0],
  [{ ...since, tag: "rare" }, (n) => n % 100 === 17],
  [{ ...since, q: "marilda" }, (n) => n % 100 === 1 && !isZoraide(n)],
];

function isZoraide(n: number): boolean {
  return n >= 15_000 && n < 15_500;
}

Deno.test("a page of 100 contacts reads as much of 20,000 as of 1,000, whatever the filters", (test) =>
  checkListReads<Item>(test, {
    rpc: "list_contacts",
    instanceId,
    few,
    many,
    prepare: createOperators,
    fill: createContacts,
    cheap: [
      {},
      { after },
      { phone: "5511900000500" },
      { phone: "5511900000500", ...since },
      { q: "maria" },
      { q: "João", after },
      { q: "ma" },
      since,
      { ...since, after },
      { ...since, q: "maria" },
    ],
    dear: [
      // One number among 20,000 is found by the index of the words, after the first contacts.
      numberSearch,
      { assignedTo: operators.most },
      { consent: "granted", after },
      { tag: "common", q: "maria" },
      { consent: "denied" },
      { tag: "rare" },
      { assignedTo: operators.rare },
      ...walks.map(([filter]) => filter),
    ],
    mostReads: (filter) => "q" in filter && filter !== numberSearch ? mostSearchReads : mostReads,
    walks,
    numberOf: ({ company }) => Number(company),
  }));
