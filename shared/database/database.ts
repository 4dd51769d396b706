/**
 * The database as everything here sees it: functions that take one JSON object and return one.
 * What must be true at once is inside one such function, so in one transaction.
 */
export interface Database {
  /**
   * Calls the SQL function `public.<name>(request jsonb) returns jsonb` as service_role.
   *
   * @throws {AppError} for a refusal that the function raised (SQLSTATE class MI), and
   * `service_unavailable` when the database cannot be reached. Anything else is a defect.
   */
  rpc<Result>(name: string, request: Readonly<Record<string, unknown>>): Promise<Result>;
  /** Lets go of connections; calls under way finish. */
  close(): Promise<void>;
}
