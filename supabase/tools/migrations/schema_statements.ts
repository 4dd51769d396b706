/** Finds in the files of supabase/schemas the statements that describe an object. */

import { splitStatements } from "../../host/sql_statements.ts";
import type { SchemaPart } from "./schema_files.ts";

/** A statement of a schema file. */
export interface SchemaStatement {
  readonly part: SchemaPart;
  /** With the comments before it, without its semicolon. */
  readonly text: string;
  /** The text without comments and with single spaces, for comparisons. */
  readonly plain: string;
}

/** All statements of the schemas, in the order in which they are built. */
export function readStatements(parts: readonly SchemaPart[]): SchemaStatement[] {
  return parts.flatMap((part) =>
    splitStatements(part.text).map((statement) => ({
      part,
      text: statement.text,
      plain: statement.text.replaceAll(/^\s*--.*$/gm, "").replaceAll(/\s+/g, " ").trim(),
    }))
  );
}

/** The parts of files that create an object. */
export function findCreatingParts(
  statements: readonly SchemaStatement[],
  kind: "function" | "table" | "type",
  name: string,
): SchemaPart[] {
  const creating = new RegExp(
    `^create (or replace )?(unlogged )?${kind} (if not exists )?${escapePattern(name)}[ (]`,
  );
  return [
    ...new Set(statements.filter(({ plain }) => creating.test(plain)).map(({ part }) => part)),
  ];
}

/** The statement that creates an index, trigger, policy, view or sequence. */
export function findCreating(
  statements: readonly SchemaStatement[],
  kind: "index" | "trigger" | "policy" | "view" | "sequence",
  name: string,
): SchemaStatement | undefined {
  const creating = new RegExp(
    `^create (or replace )?(unique )?${kind} (if not exists )?(\\w+\\.)?${escapePattern(name)}[ (]`,
  );
  return statements.find(({ plain }) => creating.test(plain));
}

/** The statements that grant or revoke privileges on an object, in their order. */
export function findGrants(
  statements: readonly SchemaStatement[],
  name: string,
): SchemaStatement[] {
  const granting = new RegExp(
    `^(grant|revoke) .* on (table |function |schema |sequence )?([\\w., ()]*, )?${
      escapePattern(name)
    }(\\(|,| )`,
  );
  return statements.filter(({ plain }) => granting.test(plain));
}

/** The statement `comment on <kind> <name> is …`. */
export function findComment(
  statements: readonly SchemaStatement[],
  kind: string,
  name: string,
): SchemaStatement | undefined {
  const commenting = new RegExp(`^comment on ${kind} ${escapePattern(name)} is `);
  return statements.find(({ plain }) => commenting.test(plain));
}

/** The statements that set the row level security and the storage parameters of a table. */
export function findTableSettings(
  statements: readonly SchemaStatement[],
  table: string,
): SchemaStatement[] {
  const setting = new RegExp(
    `^alter table ${
      escapePattern(table)
    } ((enable|disable|force|no force) row level security|set \\()`,
  );
  return statements.filter(({ plain }) => setting.test(plain));
}

function escapePattern(text: string): string {
  return text.replaceAll(/[^\w]/g, "\\$&");
}
