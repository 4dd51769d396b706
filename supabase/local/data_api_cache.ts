import type { PrimaryHost } from "../../shared/database/primary_host.ts";
import type { ExposedFunction } from "./data_api_schema.ts";
import { readExposedFunctions } from "./data_api_schema.ts";
import { schemaUnread } from "./data_api_error.ts";
import { openSession, type Session } from "./data_api_sessions.ts";

/** The channel on which PostgREST is told to read again: `notify pgrst, 'reload schema'`. */
const channel = "pgrst";
/** Measured: a new function is called 0.25 to 0.92 s after the commit. */
export const reloadDelayMs = 250;
/** Between two tries to reach a database that is away. */
const reconnectMs = 100;

/**
 * What the Data API knows of the schema. It reads it once, again when it is told to, and again after it
 * has lost the database. It learns of no change by itself.
 */
export class SchemaCache {
  #functions: readonly ExposedFunction[] | null = null;
  #session: Session | null = null;
  #isClosed = false;
  readonly #firstReading = Promise.withResolvers<void>();
  readonly #watching: Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #endPause = (): void => {};

  /** @param recoveryMs how long it does not know the schema after a loss of the database. */
  constructor(private readonly primary: PrimaryHost, private readonly recoveryMs: number) {
    this.#watching = this.#watch();
  }

  /** The functions as they were read last. @throws {DataApiFault} PGRST002 after a loss. */
  async functions(): Promise<readonly ExposedFunction[]> {
    await this.#firstReading.promise;
    if (this.#functions === null) throw schemaUnread();
    return this.#functions;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#firstReading.resolve();
    clearTimeout(this.#timer);
    this.#endPause();
    await this.#session?.close();
    await this.#watching;
  }

  /** Listens for as long as the session lasts, then on the next one. */
  async #watch(): Promise<void> {
    for (let isFirst = true; !this.#isClosed; isFirst = false) {
      try {
        const session = await openSession(this.primary, () => this.#reloadSoon());
        this.#session = session;
        if (this.#isClosed) return await session.close();
        await session.sql.unsafe(`listen ${channel}`);
        if (!isFirst) await this.#recover(session);
        await this.#read(session);
        this.#firstReading.resolve();
        await session.ended;
      } catch {
        this.#firstReading.resolve();
        await this.#session?.close();
        await this.#pause(reconnectMs);
      }
    }
  }

  async #recover({ ended }: Session): Promise<void> {
    this.#functions = null;
    await Promise.race([this.#pause(this.recoveryMs), ended]);
  }

  #reloadSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A lost session is noticed above.
      if (this.#session !== null) this.#read(this.#session).catch(() => {});
    }, reloadDelayMs);
  }

  async #read({ sql, ended }: Session): Promise<void> {
    this.#functions = await Promise.race([readExposedFunctions(sql), ended]);
  }

  async #pause(durationMs: number): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, durationMs);
    await promise;
    clearTimeout(timer);
  }
}
