/**
 * Keeps sessions of Postgres open between tests. A new session compiles and plans each function anew,
 * which was most of the processor time of tests that call a few functions each. The keeper stands
 * between the tests and the server: a client that closes gives its session back, which is reset and
 * serves the next client with the same user, database and settings. Everything else passes as it is.
 *
 * A client names a database and its owner's turn, `name~turn`. Once a database was used in another turn,
 * clients of former ones are turned away, so that nothing that a test left behind reaches the next one.
 */

import { closeQuietly, KeptSession, writeAll } from "./kept_session.ts";
import {
  cancelRequest,
  readSettings,
  readStartup,
  toText,
  versionOf,
  writeRefusal,
  writeStartup,
} from "./postgres_wire.ts";

/** Stands between a database's name and the name of its owner's turn. */
export const turnSeparator = "~";

/** A running keeper. */
export interface SessionKeeper extends AsyncDisposable {
  /** The server's address with the keeper's port. */
  readonly url: string;
}

/** Unused sessions; the oldest is closed first. A server has 200 in all. */
const maxIdleSessions = 80;

/**
 * Plans are made once: otherwise a session plans each statement of a function anew for its first five calls,
 * which was most of what the tests of functions cost Postgres.
 */
const plansOnce = ["plan_cache_mode", "force_generic_plan"] as const;

/** Starts a keeper on a free port of this machine. */
export function startSessionKeeper(serverUrl: string): SessionKeeper {
  const server = new URL(serverUrl);
  const keeper = new Keeper({ hostname: server.hostname, port: Number(server.port) });
  [server.hostname, server.port] = ["127.0.0.1", String(keeper.port)];
  return { url: server.href, [Symbol.asyncDispose]: () => keeper.stop() };
}

/** The time in which one test owns a database. */
interface Turn {
  readonly name: string;
  readonly clients: Set<Deno.Conn>;
}

class Keeper {
  readonly #server: Deno.ConnectOptions;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  /** Longest unused first. */
  readonly #idle: KeptSession[] = [];
  readonly #open = new Set<{ close(): void }>();
  readonly #accepting: Promise<void>;
  /** The present turn of each database, and all turns that are over. */
  readonly #present = new Map<string, Turn>();
  readonly #over = new Set<string>();

  constructor(server: Deno.ConnectOptions) {
    this.#server = server;
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async stop(): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    for (const connection of this.#open) closeQuietly(connection);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      client.setNoDelay(true);
      this.#open.add(client);
      // A broken connection shows at the other end.
      this.#serve(client).catch(() => {}).finally(() => {
        this.#open.delete(client);
        closeQuietly(client);
      });
    }
  }

  async #serve(client: Deno.Conn): Promise<void> {
    const message = await readStartup(client);
    if (versionOf(message) === cancelRequest) return await this.#cancel(message);
    const settings = readSettings(message);
    const [database = "", turnName] = settings.get("database")?.split(turnSeparator) ?? [];
    const turn = turnName === undefined ? undefined : this.#findTurn(database, turnName);
    if (turn === null) return await writeAll(client, writeRefusal("3D000", "its turn is over"));
    turn?.clients.add(client);
    const startup = writeStartup(settings.set("database", database).set(...plansOnce));
    const session = this.#takeIdle(startup) ?? await this.#openSession(startup);
    const isReusable = await session.serve(client);
    turn?.clients.delete(client);
    if (isReusable) this.#keep(session);
    else closeQuietly(session);
  }

  async #cancel(message: Uint8Array): Promise<void> {
    using server = await Deno.connect(this.#server);
    await writeAll(server, message);
    // Postgres closes the connection once it has looked for the session.
    await server.read(new Uint8Array(1));
  }

  /** A new turn ends the one before. @returns null for a turn that is over. */
  #findTurn(database: string, name: string): Turn | null {
    const present = this.#present.get(database);
    if (present?.name === name) return present;
    if (this.#over.has(name)) return null;
    if (present !== undefined) {
      this.#over.add(present.name);
      present.clients.forEach(closeQuietly);
    }
    const turn = { name, clients: new Set<Deno.Conn>() };
    this.#present.set(database, turn);
    return turn;
  }

  #takeIdle(startup: Uint8Array): KeptSession | undefined {
    const wanted = toText(startup);
    const index = this.#idle.findLastIndex((session) => toText(session.startup) === wanted);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0];
  }

  async #openSession(startup: Uint8Array): Promise<KeptSession> {
    const connection = await Deno.connect(this.#server);
    connection.setNoDelay(true);
    const session = new KeptSession(connection, startup);
    this.#open.add(session);
    session.ended.then(() => {
      this.#open.delete(session);
      const index = this.#idle.indexOf(session);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    return session;
  }

  #keep(session: KeptSession): void {
    if (!this.#open.has(session)) return;
    this.#idle.push(session);
    const oldest = this.#idle.length > maxIdleSessions ? this.#idle.shift() : undefined;
    if (oldest !== undefined) closeQuietly(oldest);
  }
}
