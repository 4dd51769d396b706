/** Why the embedded Postgres could not be started. */
export type PostgresStartErrorCode =
  | "already_running"
  | "folder_unusable"
  | "platform_unsupported"
  | "port_in_use"
  | "server_failed"
  | "user_missing";

/** The embedded Postgres could not be started. The message is one sentence for the user. */
export class PostgresStartError extends Error {
  override readonly name = "PostgresStartError";

  constructor(readonly code: PostgresStartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}
