import type { AuthenticatedClient } from "./client_token_guard.ts";

/** Enough for every client that one process serves. */
const maxClients = 1_000;

/**
 * How long a client is remembered after its last full authentication. Nothing depends on it but how
 * long the process keeps what it does not use: the database checks a remembered client at each call.
 */
const lifetimeMs = 60_000;

/**
 * What this process knows of clients that it has authenticated, by the hash of their token. It allows
 * nothing: a call is prepared with it, and the transaction that records the call authenticates it.
 */
export class RememberedClients {
  readonly #known = new Map<string, { client: AuthenticatedClient; untilMs: number }>();

  constructor(private readonly limits = { maxClients, lifetimeMs }) {}

  /** The client of a token; null for one that is not known, or no longer. */
  recall(tokenHash: string): AuthenticatedClient | null {
    const found = this.#known.get(tokenHash);
    if (found !== undefined && found.untilMs > performance.now()) return found.client;
    this.#known.delete(tokenHash);
    return null;
  }

  /** Remembers a client that was just authenticated, in place of the one known longest. */
  remember(tokenHash: string, client: AuthenticatedClient): void {
    this.#known.delete(tokenHash);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= this.limits.maxClients) {
      this.#known.delete(oldest);
    }
    const untilMs = performance.now() + this.limits.lifetimeMs;
    this.#known.set(tokenHash, { client, untilMs });
  }

  /** Forgets a client whose call the database has refused: the next one authenticates first. */
  forget(tokenHash: string): void {
    this.#known.delete(tokenHash);
  }
}
