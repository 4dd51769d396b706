import type { Database } from "../../shared/database/database.ts";
import type { RequestOf, ResultOf, RpcName } from "../../shared/database/rpcs.ts";
import type { RecordedResult, Replayed } from "../../shared/database/rpcs/idempotency.ts";
import type { Page } from "../../shared/database/rpcs/page.ts";
import type { Refusal } from "../../shared/database/rpcs/tenancy.ts";
import { AppError } from "../../shared/model/errors.ts";
import { readCursor, writeCursor } from "../../shared/http/cursor.ts";
import { type Recorded, toRecorded } from "../../shared/idempotency/recorded_call.ts";
import { pageEndSchema } from "./contract.ts";

/** A page as responses show it. */
export interface AdminPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

interface CallOptions {
  /** The request's unique field, which the issue names when another record has its value. */
  readonly uniqueField?: string | undefined;
  /**
   * Maps a name that the SQL function returns in `taken` to the request's field. Default: the same
   * name.
   */
  readonly uniqueFields?: Readonly<Record<string, string>>;
}

/** SQL functions that execute a POST once per `Idempotency-Key`. */
export type CreatingRpc = Extract<RpcName, `create_${string}`> | "sync_message_templates";

/** SQL functions that change a record. */
export type ChangingRpc = Extract<RpcName, `update_${string}`>;

/** SQL functions that return one record. */
export type ReadingRpc =
  | "get_workspace"
  | "get_operator"
  | "get_department"
  | "get_ai_agent"
  | "get_message_template";

/** SQL functions that return a page of a collection. */
export type ListingRpc = {
  [Name in RpcName]: ResultOf<Name> extends Page<unknown> ? Name : never;
}[RpcName];

/** The record that such a function returns, without its error and replay variants. */
export type RecordOf<Name extends RpcName> = Exclude<ResultOf<Name>, Replayed<unknown> | Refusal>;

/** A record of the pages that such a function returns. */
export type ItemOf<Name extends ListingRpc> = ResultOf<Name> extends Page<infer Item> ? Item
  : never;

/**
 * Calls an SQL function that executes a POST once per `Idempotency-Key`.
 *
 * @throws {AppError} the function's error, with `issues` where fields are invalid.
 */
export async function executeOnce<Name extends CreatingRpc>(
  database: Database,
  rpcName: Name,
  request: RequestOf<Name>,
  options: CallOptions = {},
): Promise<Recorded<RecordOf<Name>>> {
  const result: object = await callChecked(database, rpcName, request, options);
  return toRecorded(result as RecordedResult<RecordOf<Name>>);
}

/**
 * Calls an SQL function that changes a record.
 *
 * @throws {AppError} as `executeOnce`.
 */
export function changeRecord<Name extends ChangingRpc>(
  database: Database,
  rpcName: Name,
  request: RequestOf<Name>,
  options: CallOptions = {},
): Promise<Exclude<ResultOf<Name>, Refusal>> {
  return callChecked(database, rpcName, request, options);
}

/** Returns a page of a collection. `cursor` is the end of the previous page. */
export async function listRecords<Name extends ListingRpc>(
  database: Database,
  rpcName: Name,
  query: Omit<RequestOf<Name>, "after"> & { readonly cursor?: string | undefined },
): Promise<AdminPage<ItemOf<Name>>> {
  const { cursor, ...filter } = query;
  const after = cursor === undefined ? null : readCursor(pageEndSchema, cursor);
  const request = { ...filter, after } as unknown as RequestOf<Name>;
  const page = await database.rpc(rpcName, request) as Page<ItemOf<Name>>;
  return { items: page.items, nextCursor: page.next === null ? null : writeCursor(page.next) };
}

async function callChecked<Name extends CreatingRpc | ChangingRpc>(
  database: Database,
  rpcName: Name,
  request: RequestOf<Name>,
  { uniqueField, uniqueFields = {} }: CallOptions,
): Promise<Exclude<ResultOf<Name>, Refusal>> {
  try {
    const answer: object = await database.rpc(rpcName, request);
    if (isRefusal(answer)) throw toError(answer, uniqueFields);
    return answer as Exclude<ResultOf<Name>, Refusal>;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "already_exists")) throw error;
    throw error.extras.issues === undefined ? isTaken(uniqueField ?? "") : error;
  }
}

/** Distinguishes an error from a record: no record has members of these names. */
function isRefusal(answer: object): answer is Refusal {
  return "issues" in answer || "taken" in answer;
}

function toError(refusal: Refusal, uniqueFields: Readonly<Record<string, string>>): AppError {
  return "issues" in refusal
    ? new AppError("invalid_request", { issues: refusal.issues })
    : isTaken(uniqueFields[refusal.taken] ?? refusal.taken);
}

function isTaken(path: string): AppError {
  return new AppError("already_exists", {
    issues: [{ path, message: "is taken by another record" }],
  });
}
