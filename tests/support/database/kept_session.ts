/** A session of Postgres that serves one client after the other. */

import {
  Greeting,
  readyForQuery,
  terminate,
  toBytes,
  toText,
  writeQuery,
} from "./postgres_wire.ts";

/**
 * What a kept session has executed last: a database is free once no session in it differs. Written out
 * because `discard all` would also forget the plans. Ends with a command whose tag no other reset has.
 */
export const resetStatement = [
  "reset all",
  "reset session authorization",
  "reset role",
  "close all",
  "deallocate all",
  "select pg_advisory_unlock_all(), pg_stat_force_next_flush()",
  "discard temp",
  "discard sequences",
  "unlisten *",
].join("; ");

/** ReadyForQuery with the state of the transaction; and the end of a reset's answer. */
const [readyLength, resetLength] = [6, 512];

/** A session of the server, open between its clients. */
export class KeptSession {
  /** Whom it can serve: clients with the same first message. */
  readonly startup: Uint8Array;
  readonly ended: Promise<void>;
  readonly #connection: Deno.Conn;
  #client: Deno.Conn | null = null;
  readonly #said = new Greeting();
  /** What a new client is told; null until the server has said it to the first one. */
  #greeting: Uint8Array | null = null;
  /** The last bytes that the server sent since the last command. */
  #tail = "";
  #resetting: PromiseWithResolvers<boolean> | null = null;

  constructor(connection: Deno.Conn, startup: Uint8Array) {
    this.#connection = connection;
    this.startup = startup;
    this.ended = this.#copyAnswers().catch(() => {}).finally(() => {
      this.#resetting?.resolve(false);
      if (this.#client !== null) closeQuietly(this.#client);
      closeQuietly(connection);
    });
  }

  /**
   * Passes on what a client says until it ends. Its Terminate is held back, for it would end the session.
   *
   * @returns whether the session can serve another client.
   */
  async serve(client: Deno.Conn): Promise<boolean> {
    this.#client = client;
    if (this.#greeting === null) await this.#write(this.startup);
    else await writeAll(client, this.#greeting);
    const buffer = new Uint8Array(65_536);
    let isTerminated = false;
    for (;;) {
      const length = await client.read(buffer).catch(() => null);
      if (length === null) return isTerminated && await this.#reset();
      const bytes = buffer.subarray(0, length);
      if (isTerminated) await this.#write(toBytes(terminate));
      isTerminated = toText(bytes.subarray(-terminate.length)) === terminate;
      const passed = isTerminated ? bytes.subarray(0, -terminate.length) : bytes;
      if (passed.length > 0) await this.#write(passed);
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #reset(): Promise<boolean> {
    this.#client = null;
    if (!this.#isReady() || this.#greeting === null) return false;
    this.#resetting = Promise.withResolvers();
    const isInTransaction = !this.#tail.endsWith("I");
    const statement = isInTransaction ? `rollback; ${resetStatement}` : resetStatement;
    await this.#write(writeQuery(statement));
    return await this.#resetting.promise;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#tail = "";
    await writeAll(this.#connection, bytes);
  }

  async #copyAnswers(): Promise<void> {
    const buffer = new Uint8Array(65_536);
    for (;;) {
      const size = await this.#connection.read(buffer);
      if (size === null) return;
      const bytes = buffer.subarray(0, size);
      const length = this.#resetting === null ? readyLength : resetLength;
      this.#tail = (this.#tail + toText(bytes.subarray(-length))).slice(-length);
      this.#greeting ??= this.#said.add(bytes);
      if (this.#resetting !== null) this.#lookForReset();
      // The session outlives a client that is gone.
      else if (this.#client !== null) await writeAll(this.#client, bytes).catch(() => {});
    }
  }

  #lookForReset(): void {
    if (!this.#isReady()) return;
    // Settings that the reset changed are told between its last command and the end.
    this.#resetting?.resolve(this.#tail.includes("UNLISTEN\0") && this.#tail.endsWith("I"));
    this.#resetting = null;
  }

  /** Whether the server waits for the next command, as far as it has been read. */
  #isReady(): boolean {
    return this.#tail.slice(0, -1).endsWith(readyForQuery);
  }
}

/** Writes all of it. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}

/** Closes what may be closed already. */
export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
