/**
 * The bound functions, which stand in supabase/schemas/<area>/rules or below the only function that
 * calls them: each says in one place what is true, at no price, because Postgres puts a bound body
 * without settings into the statement that calls it.
 */

import { fileURLToPath } from "node:url";
import type { Sql } from "postgres";
import {
  functionName,
  isBound,
  readSchemaFiles,
  type SchemaPart,
} from "../../../supabase/tools/migrations/schema_files.ts";
import { assert, assertEquals, assertGreater } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const schemas = fileURLToPath(new URL("../../../supabase/schemas/", import.meta.url));

interface Rule {
  readonly name: string;
  readonly argumentTypes: readonly string[];
  readonly returnsRows: boolean;
}

/** The functions with a bound body. */
async function readRules(admin: Sql): Promise<Rule[]> {
  return await admin<Rule[]>`
    select p.proname as name, p.proretset as "returnsRows",
      array(select format_type(t, null) from unnest(p.proargtypes) as t) as "argumentTypes"
    from pg_proc p
    where p.pronamespace = 'messaging'::regnamespace and p.prosqlbody is not null
    order by 1`;
}

/** Whether a call of the rule stands in the plan of a statement over columns of its arguments' types. */
async function isCalledInPlan(
  admin: Sql,
  { name, argumentTypes, returnsRows }: Rule,
): Promise<boolean> {
  const columns = argumentTypes.map((type, place) => `a${place} ${type}`);
  const call = `messaging.${name}(${argumentTypes.map((_, place) => `t.a${place}`)})`;
  const table = `rule_${name}`;
  await admin.unsafe(`create temp table ${table} (${columns})`);
  const rows = await admin.unsafe(
    returnsRows
      ? `explain (verbose) select r.* from ${table} t cross join lateral ${call} as r`
      : `explain (verbose) select ${call} from ${table} t`,
  );
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  return plan.includes(`${name}(`) || plan.includes("Function Scan on messaging.");
}

Deno.test("every rule is inlined where it is called", async () => {
  await using database = await createTestDatabase({ own: true });
  const rules = await readRules(database.admin);
  assertGreater(rules.length, 10);
  for (const rule of rules) assert(!await isCalledInPlan(database.admin, rule), rule.name);
});

Deno.test("a rule with a setting, or a strict one, is found to be called", async () => {
  await using database = await createTestDatabase({ own: true });
  await database.admin.unsafe(`
    create function messaging.is_late(at timestamptz) returns boolean language sql stable strict
    return coalesce(at < now(), true);
    create function messaging.is_early(at timestamptz) returns boolean language sql stable
    set search_path = '' return at > now();`);
  const rules = await readRules(database.admin);
  for (const rule of rules.filter(({ name }) => ["is_late", "is_early"].includes(name))) {
    assert(await isCalledInPlan(database.admin, rule), rule.name);
  }
});

Deno.test("every bound function is in the schemas; rules/ holds the files that begin with one, and else only their helpers", async () => {
  await using database = await createTestDatabase();
  const names = (await readRules(database.admin)).map(({ name }) => name);
  const parts = await readSchemaFiles(schemas);
  assertEquals(names, parts.filter(isBound).map(bareName).sort());
  const first = parts.filter((part) => part.path.endsWith(`/${bareName(part)}.sql`));
  const isInRules = ({ path }: SchemaPart): boolean => path.includes("/rules/");
  assertEquals(first.filter((part) => isBound(part) !== isInRules(part)).map(functionName), []);
  const named = new Set(first.map(({ path }) => path));
  const ofSubjects = parts.filter((part) =>
    /\/(?:rules|internal)\//.test(part.path) && !named.has(part.path)
  );
  const isHelper = (part: SchemaPart): boolean =>
    ofSubjects.some((other) =>
      other !== part && other.path === part.path && other.text.includes(`.${bareName(part)}(`)
    );
  assertEquals(
    ofSubjects.filter((part) => isInRules(part) && !isBound(part) && !isHelper(part))
      .map(functionName),
    [],
  );
});

function bareName(part: SchemaPart): string {
  return functionName(part)?.replace(/^\w+\./, "") ?? "";
}
