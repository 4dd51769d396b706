import type postgres from "postgres";

/**
 * Opens a client of the driver with one connection, which connects with its first call.
 *
 * @param url the server's address.
 * @param onClosed to be called when the server or the driver has closed it.
 */
export type OpenConnection = (url: string, onClosed: () => void) => postgres.Sql;

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
 * The caller limits how many connections are in use at the same time. A client serves one session: it is never
 * left to the driver to connect once more, perhaps to another server behind the same name.
 */
export class RecentConnections {
  readonly #idle: postgres.Sql[] = [];
  readonly #inUse = new Set<postgres.Sql>();
  readonly #closing = new Set<Promise<void>>();
  /** Clients whose session has ended. */
  readonly #over = new WeakSet<postgres.Sql>();
  #isClosed = false;

  constructor(
    private readonly open: OpenConnection,
    private readonly limits: PartingLimits,
  ) {}

  /**
   * A connection for one call; null after `close`.
   *
   * @param url where to connect to, when none is idle. What is idle is of the same server: see `discardAll`.
   */
  take(url: string): postgres.Sql | null {
    if (this.#isClosed) return null;
    const connection = this.#idle.pop() ?? this.#open(url);
    this.#inUse.add(connection);
    return connection;
  }

  /** Takes back a connection that has answered. */
  putBack(connection: postgres.Sql): void {
    if (!this.#inUse.delete(connection)) return;
    if (this.#over.has(connection)) this.#end(connection, 0);
    else this.#idle.push(connection);
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

  /** Gives up every connection, those in use too: their calls fail. What is opened from now on stays. */
  discardAll(): void {
    for (const connection of [...this.#idle.splice(0), ...this.#inUse]) this.#end(connection, 0);
    this.#inUse.clear();
  }

  /** Lets calls in progress finish, up to the limit, and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#idle.splice(0), ...this.#inUse];
    this.#inUse.clear();
    const timeout = this.limits.closeTimeoutSeconds;
    await Promise.all([...this.#closing, ...open.map((connection) => connection.end({ timeout }))]);
  }

  #open(url: string): postgres.Sql {
    const connection = this.open(url, () => {
      this.#over.add(connection);
      // One in use shows it by its call.
      const place = this.#idle.indexOf(connection);
      if (place < 0) return;
      this.#idle.splice(place, 1);
      this.#end(connection, 0);
    });
    return connection;
  }

  #end(connection: postgres.Sql, timeout: number): void {
    const ended = connection.end({ timeout })
      .finally(() => this.#closing.delete(ended));
    this.#closing.add(ended);
  }
}
