/** A table of request fields of the specification, and how its rows are driven. */

import { assert, assertEquals } from "../../support/assert.ts";
import type { Members, Service } from "./service.ts";

/** What is no value of a type, however lenient one is. */
const wrongByType = {
  "string": [5, true, null, {}, []],
  "boolean": ["true", 1, {}, []],
  "number": ["5", true, {}, []],
  "object": ["text", 5, true, []],
  "array of string": ["text", 5, {}, [5], [{}]],
  "string (UUID)": [5, "ana", {}, []],
  // In a query all is text.
  "text of the query": [],
} as const;

/** One row. */
export interface FieldRow {
  readonly field: string;
  readonly type: keyof typeof wrongByType;
  /** `conditional` needs a test of its own: what it depends on is no row's affair. */
  readonly required: "yes" | "no" | "conditional";
  /** A good value. */
  readonly value: unknown;
  /** Other members that this field needs beside it, or needs gone (undefined). */
  readonly beside?: Members;
  /** Values that are refused though they are of the type. */
  readonly refused?: readonly unknown[];
  /** Null is a value of the field: it clears it. In others that may be left out it means just that. */
  readonly isNullable?: boolean;
  /** What a missing or wrong field is answered with. */
  readonly error?: string;
}

export interface RequestTable {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The least that a call holds, beside the rows that are required. */
  readonly least?: Members;
  readonly rows: readonly FieldRow[];
}

/**
 * Drives a table row by row: a required field is missed by its name, an optional one may be left
 * out, null or empty, every field takes its value and refuses those of other types, again by its name.
 */
export async function driveRequestTable(service: Service, table: RequestTable): Promise<void> {
  const required = Object.fromEntries(
    table.rows.filter((row) => row.required === "yes").map(({ field, value }) => [field, value]),
  );
  const base = { ...required, ...table.least };
  await assertAccepted(service, table, base, "only what is required");
  for (const row of table.rows) {
    const full = withoutUndefined({ ...base, ...row.beside, [row.field]: row.value });
    await assertAccepted(service, table, full, row.field);
    const { [row.field]: _, ...without } = full;
    if (row.required === "yes") await assertRefused(service, table, row, without);
    const takesNull = row.isNullable || (row.required === "no" && table.method === "POST");
    const wrong = wrongByType[row.type].filter((value) => value !== null || !takesNull);
    for (const value of [...wrong, ...row.refused ?? []]) {
      await assertRefused(service, table, row, { ...full, [row.field]: value });
    }
    if (takesNull) {
      for (const empty of [null, "", " "]) {
        const what = `${row.field} ${JSON.stringify(empty)}`;
        await assertAccepted(service, table, { ...full, [row.field]: empty }, what);
      }
    }
  }
}

async function assertAccepted(
  service: Service,
  { method, path }: RequestTable,
  members: Members,
  what: string,
): Promise<void> {
  const { status, body } = await service.call(method, path, members);
  assertEquals([status, body.success], [200, true], `${path}, ${what}: ${JSON.stringify(body)}`);
}

async function assertRefused(
  service: Service,
  { method, path }: RequestTable,
  { field, error }: FieldRow,
  members: Members,
): Promise<void> {
  const { status, body } = await service.call(method, path, members);
  const what = `${path}, ${field} = ${JSON.stringify(members[field])}: ${JSON.stringify(body)}`;
  assertEquals([status, body.success], [400, false], what);
  const isPhone = field === "phone" && typeof members[field] === "string";
  const expected = isPhone ? "invalid_phone" : "invalid_request";
  assert([expected, error].includes(body.error), what);
  const paths: string[] = (body.issues ?? []).map((issue: { path: string }) => issue.path);
  assert(paths.some((issue) => issue === field || issue.startsWith(`${field}.`)), what);
}

function withoutUndefined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
