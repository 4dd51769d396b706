import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";

/**
 * The database as TypeScript calls it: SQL functions that take one JSON object and return one. Each
 * call is one transaction, so changes that must be atomic belong to one function.
 */
export interface Database {
  /**
   * Calls the SQL function `public.<name>(request jsonb) returns jsonb` as service_role.
   *
   * @throws {AppError} for an error that the function raised (SQLSTATE class MI), and
   * `service_unavailable` when the database cannot be reached or does not answer within
   * `callTimeoutMs`. After a time-out the call may have been executed. Any other error is a defect.
   */
  rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>>;
  /** Closes the connections after the calls in progress have finished. */
  close(): Promise<void>;
}

/**
 * How long a call waits for its result. It exceeds the platform's `statement_timeout` for
 * service_role (8 s), so the server cancels a running statement first. Only calls on dead
 * connections or behind an unresponsive proxy reach this time-out.
 */
export const callTimeoutMs = 10_000;
