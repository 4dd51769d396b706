import postgres from "postgres";
import { singleSession } from "./single_session.ts";
import { type DatabaseServer, openPrimaryHost } from "./primary_host.ts";

type ClientOptions = Parameters<typeof postgres>[1] & object;

/**
 * One connection, kept open, to the server that takes writes, for what needs a session of its own. A session
 * that has ended is not opened once more: the next use opens another client, where the primary is then. So a
 * caller that holds something in its session (an advisory lock) knows by the client whether it still has it.
 */
export class PrimaryConnection {
  readonly #primary;
  readonly #stopListening: () => void;
  #open: { readonly sql: postgres.Sql; readonly server: DatabaseServer } | null = null;
  #isClosed = false;

  /** @throws {DatabaseHostsError} */
  constructor(databaseUrl: string, private readonly options: ClientOptions) {
    this.#primary = openPrimaryHost(databaseUrl);
    this.#stopListening = this.#primary.onLeave(() => this.#end());
  }

  /**
   * Does `work` on the connection. After an error that is no answer of the server the connection is given up.
   *
   * @throws {NoPrimaryError} and what `work` throws.
   */
  async use<Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
    const open = this.#open ?? await this.#connect();
    try {
      return await work(open.sql);
    } catch (error) {
      const isAnswer = (error as { severity?: unknown } | null)?.severity === "ERROR";
      if (!isAnswer) this.giveUp(open.sql);
      throw error;
    }
  }

  /** Gives the connection up, where it is still this one: it is silent, or broken. */
  giveUp(sql: postgres.Sql): void {
    if (this.#open?.sql !== sql) return;
    this.#primary.suspect(this.#open.server);
    this.#end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    const sql = this.#open?.sql;
    this.#open = null;
    await sql?.end({ timeout: 1 });
    await this.#primary.close();
  }

  async #connect(): Promise<{ sql: postgres.Sql; server: DatabaseServer }> {
    if (this.#primary.current() === null) await this.#primary.look();
    if (this.#open !== null) return this.#open;
    const server = this.#primary.current();
    if (server === null || this.#isClosed) throw new Error("no connection to the primary");
    const sql = postgres(server.url, {
      ...this.options,
      ...singleSession(),
      max: 1,
      onnotice: () => {},
      onclose: () => {
        if (this.#open?.sql === sql) this.#end();
      },
    });
    return this.#open = { sql, server };
  }

  #end(): void {
    const sql = this.#open?.sql;
    this.#open = null;
    sql?.end({ timeout: 0 }).catch(() => {});
  }
}
