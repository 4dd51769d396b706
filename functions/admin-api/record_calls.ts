import type { Database } from "../../shared/database/database.ts";
import { AppError, type Issue } from "../../shared/model/errors.ts";
import { readCursor, writeCursor } from "../../shared/http/cursor.ts";
import {
  type Recorded,
  type RecordedResult,
  toRecorded,
} from "../../shared/idempotency/recorded_call.ts";
import { type PageEnd, pageEndSchema } from "./contract.ts";

/** A record as it stands in a response. */
export type AdminRecord = Readonly<Record<string, unknown>>;

interface CallOptions {
  /** The request's field that must be unique: named when another record has its value. */
  readonly uniqueField?: string | undefined;
  /** The request's field by the name that the SQL function answers in `taken`; default that name. */
  readonly uniqueFields?: Readonly<Record<string, string>>;
}

/**
 * Calls an SQL function that executes a POST once per `Idempotency-Key`.
 *
 * @throws {AppError} what the function refuses, with `issues` where fields are at fault.
 */
export async function executeOnce(
  database: Database,
  rpcName: string,
  request: Readonly<Record<string, unknown>>,
  options: CallOptions = {},
): Promise<Recorded<AdminRecord>> {
  return toRecorded(
    await callChecked<RecordedResult<AdminRecord>>(database, rpcName, request, options),
  );
}

/**
 * Calls an SQL function that changes a record.
 *
 * @throws {AppError} as `executeOnce`.
 */
export function changeRecord(
  database: Database,
  rpcName: string,
  request: Readonly<Record<string, unknown>>,
  options: CallOptions = {},
): Promise<AdminRecord> {
  return callChecked(database, rpcName, request, options);
}

/** A page of a collection; `cursor` is where the page before ended. */
export async function listRecords(
  database: Database,
  rpcName: string,
  query: { readonly cursor?: string | undefined } & Readonly<Record<string, unknown>>,
): Promise<AdminRecord> {
  const { cursor, ...filter } = query;
  const after = cursor === undefined ? null : readCursor(pageEndSchema, cursor);
  const page = await database.rpc<{ items: AdminRecord[]; next: PageEnd | null }>(rpcName, {
    ...filter,
    after,
  });
  return { items: page.items, nextCursor: page.next === null ? null : writeCursor(page.next) };
}

async function callChecked<Result extends object>(
  database: Database,
  rpcName: string,
  request: Readonly<Record<string, unknown>>,
  { uniqueField, uniqueFields = {} }: CallOptions,
): Promise<Result> {
  try {
    const answer = await database.rpc<Result & Refused>(rpcName, request);
    if (answer.issues !== undefined) {
      throw new AppError("invalid_request", { issues: answer.issues });
    }
    if (answer.taken !== undefined) {
      throw isTaken(uniqueFields[answer.taken] ?? answer.taken);
    }
    return answer;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "already_exists")) throw error;
    throw error.extras.issues === undefined ? isTaken(uniqueField ?? "") : error;
  }
}

/** What an SQL function answers instead of a record that it refuses for one of its fields. */
interface Refused {
  readonly issues?: readonly Issue[];
  /** The field whose value another record has. */
  readonly taken?: string;
}

function isTaken(path: string): AppError {
  return new AppError("already_exists", {
    issues: [{ path, message: "is taken by another record" }],
  });
}
