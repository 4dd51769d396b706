/** Sessions of the local Data API, which behave as PostgREST's do when they are lost or all in use. */

import postgres, { type Sql } from "postgres";
import type { DatabaseServer, PrimaryHost } from "../../shared/database/primary_host.ts";
import { Semaphore } from "../../shared/runtime/semaphore.ts";
import { noConnection, poolExhausted, sessionLost } from "./data_api_error.ts";

/** Sizes and limits of the pool. */
export interface SessionLimits {
  readonly maxConnections: number;
  /** How long a call waits for a session. */
  readonly acquireTimeoutMs: number;
}

/** A session of Postgres. Once it has ended, it is not opened again. */
export interface Session {
  readonly sql: Sql;
  /** Rejects when the session ends; never resolves. */
  readonly ended: Promise<never>;
  /** Whether it has ended. */
  isLost(): boolean;
  close(): Promise<void>;
}

/** Options of the driver that its types do not name. */
type SessionOptions = Parameters<typeof postgres>[1] & {
  readonly onnotify?: (channel: string) => void;
};

/**
 * Opens a session as the role `service_role`, where writes are taken. It ends when they are taken elsewhere.
 *
 * @throws {DataApiFault} PGRST001
 */
export async function openSession(
  primary: PrimaryHost,
  onNotify: (channel: string) => void = () => {},
): Promise<Session> {
  const server = await findServer(primary);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  let isLost = false;
  const options: SessionOptions = {
    max: 1,
    // The driver's own is random, between half an hour and one, and ends a session that a call may take.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    connection: { role: "service_role", application_name: "postgrest" },
    onnotify: onNotify,
    onclose: () => {
      isLost = true;
      stopListening();
      primary.suspect(server);
      reject(sessionLost());
    },
  };
  const sql = postgres(server.url, options);
  const close = (): Promise<void> => sql.end({ timeout: 0 });
  const stopListening = primary.onLeave(close);
  try {
    await Promise.race([takeRoleSettings(sql), ended]);
  } catch {
    await close();
    throw noConnection();
  }
  return { sql, ended, isLost: () => isLost, close };
}

/** PostgREST itself leaves this to libpq, with `target_session_attrs=read-write` for its listener. */
async function findServer(primary: PrimaryHost): Promise<DatabaseServer> {
  try {
    if (primary.current() === null) await primary.look();
  } catch {
    throw noConnection();
  }
  const server = primary.current();
  if (server === null) throw noConnection();
  return server;
}

/** On the platform sessions begin as `authenticator`, whose time limits stay when the role changes. */
async function takeRoleSettings(sql: Sql): Promise<void> {
  await sql`
    select set_config(limits.setting[1], limits.setting[2], false)
    from pg_catalog.pg_roles r, unnest(r.rolconfig) as given(setting),
      lateral (select string_to_array(given.setting, '=')) as limits(setting)
    where r.rolname = 'authenticator'
      and limits.setting[1] in ('statement_timeout', 'lock_timeout')`;
}

/** A bounded number of sessions, the most recently used first. */
export class SessionPool {
  readonly #permits: Semaphore;
  readonly #idle: Session[] = [];
  readonly #open = new Set<Session>();
  #isClosed = false;

  constructor(private readonly primary: PrimaryHost, private readonly limits: SessionLimits) {
    this.#permits = new Semaphore(limits.maxConnections);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Does `work` with a session that nobody else uses meanwhile.
   *
   * @throws {DataApiFault} PGRST001, PGRST003, or the fault without a code; else what `work` throws.
   */
  async use<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    if (!await this.#permits.acquire(this.limits.acquireTimeoutMs)) throw poolExhausted();
    try {
      return await this.#useSession(work);
    } finally {
      this.#permits.release();
    }
  }

  async #useSession<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const session = this.#idle.pop() ?? await this.#openSession();
    let isBroken = false;
    try {
      // Not noticed while it was idle: PostgREST finds out by the call that takes it.
      if (session.isLost()) throw sessionLost();
      return await Promise.race([
        work(session.sql).catch((error) => {
          isBroken = isBrokenPipe(error);
          throw isBroken ? sessionLost() : error;
        }),
        session.ended,
      ]);
    } finally {
      // The driver may tell that a session has ended after the call that it broke.
      if (!isBroken && !session.isLost()) this.#idle.push(session);
      else {
        this.#open.delete(session);
        await session.close();
      }
    }
  }

  async #openSession(): Promise<Session> {
    if (this.#isClosed) throw noConnection();
    const session = await openSession(this.primary);
    this.#open.add(session);
    return session;
  }

  /** Ends every session, also those in use. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((session) => session.close()));
  }
}

/** The driver wrote to a connection that the server had ended, before it was told so. */
function isBrokenPipe(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "EPIPE" || code === "ECONNRESET";
}
