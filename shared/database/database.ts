import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";

/**
 * The database as everything here sees it: functions that take one JSON object and return one.
 * What must be true at once is inside one such function, so in one transaction.
 */
export interface Database {
  /**
   * Calls the SQL function `public.<name>(request jsonb) returns jsonb` as service_role.
   *
   * @throws {AppError} for a refusal that the function raised (SQLSTATE class MI), and
   * `service_unavailable` when the database cannot be reached or does not answer within
   * `callTimeoutMs`: it may have been executed. Anything else is a defect.
   */
  rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>>;
  /** Lets go of connections; calls under way finish. */
  close(): Promise<void>;
}

/**
 * How long a call waits for its result. What executes is given up before by the server: the
 * `statement_timeout` that service_role has on the platform is 8 s. So it ends calls that nobody
 * executes any more, because a connection went silent or what lies between does not answer.
 */
export const callTimeoutMs = 10_000;
