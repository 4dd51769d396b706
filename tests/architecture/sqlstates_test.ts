import { meaningBySqlstate } from "../../shared/database/sqlstates.ts";
import { assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

const ownSqlstate = /MI\d{3}/g;

/** What is raised: by a function itself, or by require_record. */
const raising = /(?:errcode = |\), )'(MI\d{3})', (?:message = )?'([^']+)'/g;

/** `-- ...` to the end of the line; heads of SQL functions name what callees raise. */
function withoutComments(sql: string): string {
  return sql.replaceAll(/--.*$/gm, "");
}

/** What SQL raises that the table does not have, or has with another meaning. */
function findSqlFaults(
  files: readonly TextFile[],
  meanings: Readonly<Record<string, unknown>>,
): string[] {
  return files.flatMap(({ path, text }) => {
    const code = withoutComments(text);
    const unknown = [...code.matchAll(ownSqlstate)].map(([sqlstate]) => sqlstate)
      .filter((sqlstate) => !Object.hasOwn(meanings, sqlstate))
      .map((sqlstate) => `${path}: ${sqlstate} is not in the table`);
    const raised = code.matchAll(raising);
    const other = Array.from(raised).flatMap(([, sqlstate = "", message]) => {
      const meaning = meanings[sqlstate];
      return typeof meaning !== "string" || meaning === message
        ? []
        : [`${path}: ${sqlstate} is ${meaning}, not ${message}`];
    });
    return [...unknown, ...other];
  });
}

/** Numbers that stand in TypeScript beside the table and the module that catches them. */
function findStrayNumbers(
  files: readonly TextFile[],
  meanings: Readonly<Record<string, unknown>>,
): string[] {
  return files.filter(({ path }) => path !== "shared/database/sqlstates.ts")
    .flatMap(({ path, text }) =>
      [...text.matchAll(ownSqlstate)].map(([sqlstate]) => sqlstate).filter((sqlstate) => {
        const meaning = meanings[sqlstate] as { readonly caughtBy?: string } | string | undefined;
        return typeof meaning !== "object" || meaning.caughtBy !== path;
      }).map((sqlstate) => `${path}: ${sqlstate}`)
    );
}

Deno.test("every SQLSTATE of class MI that SQL raises has one meaning, and every meaning is raised", async () => {
  const files = (await readTextFiles("supabase/schemas")).filter(({ path }) =>
    path.endsWith(".sql")
  );
  assertEquals(findSqlFaults(files, meaningBySqlstate), []);
  const raised = new Set(
    files.flatMap(({ text }) => withoutComments(text).match(ownSqlstate) ?? []),
  );
  assertEquals([...raised].sort(), Object.keys(meaningBySqlstate));
});

/** Codes of Postgres's own that a function raises or catches, also by their names. */
const conflictOfPostgres =
  /40001|40P01|serialization_failure|deadlock_detected|transaction_rollback/gi;

function findConflictCodes(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(conflictOfPostgres)].map(([code]) => `${path}: ${code}`)
  );
}

Deno.test("no SQL of ours raises 40001 or 40P01, which PostgREST up to 14 repeats at once and without end", async () => {
  const files = await readTextFiles("supabase/schemas");
  assertEquals(findConflictCodes(files.filter(({ path }) => path.endsWith(".sql"))), []);
  const text = "raise exception using errcode = 'serialization_failure';\nraise sqlstate '40p01';";
  assertEquals(findConflictCodes([{ path: "a.sql", text }]), [
    "a.sql: serialization_failure",
    "a.sql: 40p01",
  ]);
});

Deno.test("no handler catches an SQLSTATE by a number but the one that the table names", async () => {
  const files = (await readTextFiles("shared", "functions")).filter(({ path }) =>
    path.endsWith(".ts")
  );
  assertEquals(findStrayNumbers(files, meaningBySqlstate), []);
});

Deno.test("an SQLSTATE that is unknown, used for something else or caught elsewhere is found", () => {
  const meanings = { MI001: "operator_not_found", MI018: { caughtBy: "shared/agents/reply.ts" } };
  const sql = "raise exception using errcode = 'MI001', message = 'too_late'; -- MI077\n" +
    "raise exception using errcode = 'MI099', message = 'x';\n" +
    "select messaging.require_record((select 1), 'MI001', 'agent_not_found');";
  assertEquals(findSqlFaults([{ path: "a.sql", text: sql }], meanings), [
    "a.sql: MI099 is not in the table",
    "a.sql: MI001 is operator_not_found, not too_late",
    "a.sql: MI001 is operator_not_found, not agent_not_found",
  ]);
  const files = [
    { path: "shared/agents/reply.ts", text: '"MI018"' },
    { path: "shared/other.ts", text: '"MI018"' },
  ];
  assertEquals(findStrayNumbers(files, meanings), ["shared/other.ts: MI018"]);
});
