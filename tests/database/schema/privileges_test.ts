import type { Sql } from "postgres";
import { assertEquals, assertGreater, assertRejects } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  countObjects,
  findExposedFunctions,
  findExposedRelations,
  findOpenTables,
  findUnpinnedFunctions,
} from "../../support/database/privilege_findings.ts";

/** A rule about the catalogue, and a violation that it must detect. */
interface Rule {
  readonly name: string;
  readonly find: (sql: Sql) => Promise<string[]>;
  readonly slip: string;
  readonly findings: readonly string[];
}

const rules: readonly Rule[] = [
  {
    name: "anon and authenticated can read and write nothing",
    find: findExposedRelations,
    slip: `
      create table public.slip (id int, told int);
      alter table public.slip enable row level security;
      grant select (told) on public.slip to anon;
      create sequence public.slip_number;
      grant usage on sequence public.slip_number to public;`,
    findings: [
      "anon may select slip",
      "anon may usage slip_number",
      "authenticated may usage slip_number",
    ],
  },
  {
    name: "every function is executable by service_role alone",
    find: findExposedFunctions,
    slip: `
      create function public.slip() returns int language sql set search_path = '' as 'select 1';
      grant execute on function public.slip() to public, authenticated;`,
    findings: ["authenticated may execute slip()", "public may execute slip()"],
  },
  {
    name: "every function pins its search_path, or has a bound body",
    find: findUnpinnedFunctions,
    slip: `create function public.slip() returns int language sql as 'select 1';`,
    findings: ["slip() has no search_path"],
  },
  {
    name: "row-level security is on for every table, with no policy",
    find: findOpenTables,
    slip: `
      create table public.slip (id int);
      create table public.slip_open (id int);
      alter table public.slip_open enable row level security;
      create policy anyone on public.slip_open using (true);`,
    findings: ["public.slip_open has the policy anyone", "slip has no row-level security"],
  },
];

for (const rule of rules) {
  Deno.test(rule.name, async () => {
    await using database = await createTestDatabase();
    const { tables, functions } = await countObjects(database.admin);
    assertGreater(tables, 0);
    assertGreater(functions, 0);
    assertEquals(await rule.find(database.admin), []);
  });

  Deno.test(`a violation is detected: ${rule.name}`, async () => {
    await using database = await createTestDatabase();
    const before = await rule.find(database.admin);
    await database.admin.unsafe(rule.slip);
    const after = await rule.find(database.admin);
    assertEquals(after.filter((finding) => !before.includes(finding)), [...rule.findings]);
  });
}

Deno.test("objects of a later migration have no privileges until they are granted", async () => {
  await using database = await createTestDatabase();
  await database.admin.unsafe(`
    create table public.later (id bigint generated always as identity);
    create sequence public.later_number;
    create function public.later() returns int language sql set search_path = '' as 'select 1';`);
  assertEquals(await findExposedRelations(database.admin), []);
  assertEquals(await findExposedFunctions(database.admin), []);
});

for (const role of ["anon", "authenticated"] as const) {
  Deno.test(`${role} is denied access to every table`, async () => {
    await using database = await createTestDatabase();
    const visitor = database.connect({ role, max: 1 });
    const tables = await database.admin<{ tablename: string }[]>`
      select tablename from pg_tables where schemaname = 'messaging'`;
    assertGreater(tables.length, 0);
    for (const { tablename } of tables) {
      const refusal = await assertRejects(
        () => visitor`select from messaging.${visitor(tablename)}`,
        Error,
        "permission denied",
      );
      assertEquals((refusal as Error & { code?: string }).code, "42501");
    }
  });
}
