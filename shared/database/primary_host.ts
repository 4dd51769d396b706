/**
 * The server that this process writes to, where `DATABASE_URL` names several. The driver's own way through a
 * list of hosts is not used: with two dead ones it never rejects a call, and opens 600 connections a second
 * (postgres 3.4.9). It gets one host at a time.
 *
 * What holds:
 * 1. A process writes to one server at a time: `current` is one, and who has connections to another one is
 *    told to end them (`onLeave`) before it changes.
 * 2. It never goes back: see `choosePrimary`.
 * 3. A lost connection, and a server that turns out to only read, make it look before the next call. Beside
 *    that it looks every two seconds while it is used, because a server that is gone without a word keeps its
 *    connections silent.
 */

import postgres from "postgres";
import { withTimeout } from "../runtime/time_limit.ts";
import { readDatabaseHosts } from "../runtime/database_hosts.ts";
import { singleSession } from "./single_session.ts";
import {
  choosePrimary,
  type PrimaryChoice,
  type SeenCluster,
  type ServerAnswer,
  type ServerFault,
} from "./primary_choice.ts";

/** A server to write to. Two are the same server only where they are the same object. */
export interface DatabaseServer {
  /** Address with one host, for the driver. */
  readonly url: string;
}

/** No server takes writes. The message tells why, by the places in the list: a name may be part of a password. */
export class NoPrimaryError extends Error {
  override readonly name = "NoPrimaryError";
  readonly code = "NO_PRIMARY";
}

export interface PrimaryHost {
  /** The server to write to; null where none is known: then call `look`. */
  current(): DatabaseServer | null;
  /** Finds the server to write to. @throws {NoPrimaryError} */
  look(): Promise<void>;
  /** Tells that a connection to the server was lost, or that it only reads. */
  suspect(server: DatabaseServer): void;
  /** Calls back when the server that was written to must not be any more. @returns ends that. */
  onLeave(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A server answers within this time or counts as one that does not. All are asked at the same time. */
const answerTimeoutMs = 1_000;
/** After a look that found none. */
const pauseMs = 200;
/** How old the last look may be while calls are made. */
const staleMs = 2_000;
/** How long an unused connection for looks stays open, in seconds. */
const idleSeconds = 10;

/** Those with several hosts, by address: all users in a process share one, and so write to one server. */
const shared = new Map<string, { readonly host: SeveralHosts; users: number }>();

/**
 * Opens the way to the server to write to. With a single host it is that host, and nothing is asked.
 *
 * @throws {DatabaseHostsError}
 */
export function openPrimaryHost(databaseUrl: string): PrimaryHost {
  const urls = readDatabaseHosts(databaseUrl);
  if (urls.length === 1) return onlyHost({ url: urls[0] });
  const entry = shared.get(databaseUrl) ?? { host: new SeveralHosts(urls), users: 0 };
  entry.users += 1;
  shared.set(databaseUrl, entry);
  const { host } = entry;
  return {
    current: () => host.current(),
    look: () => host.look(),
    suspect: (server) => host.suspect(server),
    onLeave: (listener) => host.onLeave(listener),
    close: async () => {
      entry.users -= 1;
      if (entry.users > 0) return;
      shared.delete(databaseUrl);
      await host.close();
    },
  };
}

function onlyHost(server: DatabaseServer): PrimaryHost {
  return {
    current: () => server,
    look: () => Promise.resolve(),
    suspect: () => {},
    onLeave: () => () => {},
    close: () => Promise.resolve(),
  };
}

class SeveralHosts implements PrimaryHost {
  readonly #servers: readonly DatabaseServer[];
  /** Open connections for looks. */
  readonly #clients = new Map<DatabaseServer, postgres.Sql>();
  readonly #listeners = new Set<() => void>();
  /** The server that was found last. Connections to it may be open. */
  #primary: DatabaseServer | null = null;
  /** Whether it must be found again before it is used. */
  #isSuspected = true;
  #seen: SeenCluster | null = null;
  #lookedAt = -Infinity;
  #failure: NoPrimaryError | null = null;
  #looking: Promise<void> | null = null;

  constructor(urls: readonly string[]) {
    this.#servers = urls.map((url) => ({ url }));
  }

  current(): DatabaseServer | null {
    if (this.#isSuspected) return null;
    if (performance.now() - this.#lookedAt > staleMs) this.#lookOnce();
    return this.#primary;
  }

  async look(): Promise<void> {
    const isPaused = performance.now() - this.#lookedAt < pauseMs;
    if (this.#failure === null || !isPaused) await this.#lookOnce();
    if (this.#failure !== null) throw this.#failure;
  }

  suspect(server: DatabaseServer): void {
    if (server === this.#primary) this.#isSuspected = true;
  }

  onLeave(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#looking;
    await Promise.all([...this.#clients.values()].map((client) => client.end({ timeout: 0 })));
    this.#clients.clear();
  }

  #lookOnce(): Promise<void> {
    return this.#looking ??= this.#askAll().finally(() => this.#looking = null);
  }

  async #askAll(): Promise<void> {
    const answers = await Promise.all(this.#servers.map((server) => this.#ask(server)));
    const place = this.#primary === null ? null : this.#servers.indexOf(this.#primary);
    const choice = choosePrimary(answers, this.#seen, place);
    this.#lookedAt = performance.now();
    this.#seen = choice.seen;
    const chosen = choice.place === null ? null : this.#servers[choice.place] ?? null;
    this.#failure = chosen === null ? new NoPrimaryError(describeChoice(choice)) : null;
    // One that does not answer now may do so over the connections that it has.
    if (chosen === null && place !== null && "code" in (answers[place] ?? {})) return;
    this.#isSuspected = chosen === null;
    if (chosen === this.#primary) return;
    this.#primary = chosen;
    for (const listener of this.#listeners) listener();
  }

  async #ask(server: DatabaseServer): Promise<ServerAnswer | ServerFault> {
    const client = this.#clients.get(server) ?? this.#openClient(server);
    try {
      const rows = await withTimeout(askServer(client), answerTimeoutMs);
      if (rows?.[0] !== undefined) return rows[0];
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      this.#drop(server, client);
      return { code: typeof code === "string" ? code : "unknown" };
    }
    this.#drop(server, client);
    return { code: "ETIMEDOUT" };
  }

  #openClient(server: DatabaseServer): postgres.Sql {
    const client = postgres(server.url, {
      ...singleSession(),
      max: 1,
      onnotice: () => {},
      onclose: () => {
        if (this.#clients.get(server) === client) this.#drop(server, client);
      },
      fetch_types: false,
      idle_timeout: idleSeconds,
      connect_timeout: answerTimeoutMs / 1_000,
      connection: { application_name: "messaging primary" },
    });
    this.#clients.set(server, client);
    return client;
  }

  #drop(server: DatabaseServer, client: postgres.Sql): void {
    this.#clients.delete(server);
    client.end({ timeout: 0 }).catch(() => {});
  }
}

/** A standby has no write position, and `pg_walfile_name` refuses to name one. */
function askServer(client: postgres.Sql): Promise<ServerAnswer[]> {
  return client<ServerAnswer[]>`
    select pg_is_in_recovery() as "isStandby",
      current_setting('transaction_read_only') = 'on' and not pg_is_in_recovery() as "isReadOnly",
      (select c.system_identifier::text from pg_control_system() as c) as "systemIdentifier",
      case when not pg_is_in_recovery()
        then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer
      end as timeline`;
}

function describeChoice({ reasons }: PrimaryChoice): string {
  const sentences = reasons.map((reason, place) => `host ${place + 1} ${reason}`);
  return `No host of DATABASE_URL takes writes: ${sentences.join("; ")}.`;
}
