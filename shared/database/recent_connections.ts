import type postgres from "postgres";

/** Opens a client of the driver with one connection, which connects with its first call. */
export type OpenConnection = () => postgres.Sql;

/** How long connections may finish their calls, in seconds. */
export interface PartingLimits {
  /** A connection whose caller no longer waits. */
  readonly silentTimeoutSeconds: number;
  /** Every connection, on closing. */
  readonly closeTimeoutSeconds: number;
}

/**
 * Idle connections, the most recently used first. Each session of Postgres has its own caches of plans
 * and catalogues, so a session that was just in use executes a call for less than one that was not, and
 * connections that only a burst needed become idle and close. The driver's own pool takes the connection
 * that has been idle the longest, so a single caller would use every session in turn.
 *
 * The caller limits how many connections are in use at the same time.
 */
export class RecentConnections {
  readonly #idle: postgres.Sql[] = [];
  readonly #inUse = new Set<postgres.Sql>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(
    private readonly open: OpenConnection,
    private readonly limits: PartingLimits,
  ) {}

  /** A connection for one call; null after `close`. */
  take(): postgres.Sql | null {
    if (this.#isClosed) return null;
    const connection = this.#idle.pop() ?? this.open();
    this.#inUse.add(connection);
    return connection;
  }

  /** Takes back a connection that has answered. */
  putBack(connection: postgres.Sql): void {
    if (this.#inUse.delete(connection)) this.#idle.push(connection);
  }

  /** Gives up a connection that failed: its call has ended. The next call gets another connection. */
  discardBroken(connection: postgres.Sql): void {
    if (this.#inUse.delete(connection)) this.#end(connection, 0);
  }

  /**
   * Gives up a connection that did not answer in time, and every idle one: what made one connection
   * silent may have made all of them silent. Those in use show it by their own calls.
   */
  discardSilent(connection: postgres.Sql): void {
    if (this.#inUse.delete(connection)) this.#end(connection, this.limits.silentTimeoutSeconds);
    for (const idle of this.#idle.splice(0)) this.#end(idle, 0);
  }

  /** Lets calls in progress finish, up to the limit, and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#idle.splice(0), ...this.#inUse];
    this.#inUse.clear();
    const timeout = this.limits.closeTimeoutSeconds;
    await Promise.all([...this.#closing, ...open.map((connection) => connection.end({ timeout }))]);
  }

  #end(connection: postgres.Sql, timeout: number): void {
    const ended = connection.end({ timeout })
      .finally(() => this.#closing.delete(ended));
    this.#closing.add(ended);
  }
}
