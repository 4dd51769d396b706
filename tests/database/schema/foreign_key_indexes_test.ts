import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

// A cascade searches the referencing rows by all columns of the key, or by columns that already
// identify the referenced row. A partial index helps only if its predicate is `is not null`, which an
// equality implies.
const unindexed = `
  select k.conrelid::regclass || ': ' || pg_get_constraintdef(k.oid) as key
  from pg_constraint k
  where k.contype = 'f' and k.connamespace = 'messaging'::regnamespace
    and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))
    and not exists (
      select from pg_index i
      cross join lateral (
        select array_agg(pair.referenced order by place) as referenced
        from generate_series(0, i.indnkeyatts - 1) place
        join unnest(k.conkey, k.confkey) as pair(referring, referenced)
          on pair.referring = i.indkey[place]
        -- Leading columns only: all before it are of the key too.
        where not exists (
          select from generate_series(0, place - 1) earlier
          where i.indkey[earlier] <> all (k.conkey)
        )
      ) as matched
      where i.indrelid = k.conrelid and i.indisvalid
        and (
          i.indpred is null
          or pg_get_expr(i.indpred, i.indrelid) = (
            select format('(%I IS NOT NULL)', a.attname) from pg_attribute a
            where a.attrelid = k.conrelid and a.attnum = i.indkey[0]
          )
        )
        and exists (
          select from pg_index u
          where u.indrelid = k.confrelid and u.indisunique and u.indpred is null
            and u.indexprs is null and (u.indkey::smallint[])[0:u.indnkeyatts - 1] <@ matched.referenced
        )
    )
  order by 1`;

Deno.test("every foreign key with a cascade has an index for it", async () => {
  await using database = await createTestDatabase();
  const rows = await database.admin.unsafe<{ key: string }[]>(unindexed);
  assertEquals(rows.map(({ key }) => key), []);
});
