/** Enough for every caller of one process. */
const maxCredentials = 2_000;

/** A caller that comes again later is a stranger for one request. */
const rememberedMs = 10 * 60_000;

/** Headers that open functions: a client token, the project's secret key, what AI clients send. */
const credentialHeaders = ["x-client-token", "apikey", "authorization"] as const;

/**
 * The credentials that this process has found valid of late. They open nothing here: each call is
 * authenticated as ever. They tell whose calls are taken first while there are too many.
 */
export class KnownCallers {
  readonly #knownUntil = new Map<string, number>();

  constructor(private readonly limits = { maxCredentials, rememberedMs }) {}

  /** Notes that a header's value was a valid credential. */
  remember(credential: string | undefined): void {
    if (credential === undefined) return;
    this.#knownUntil.delete(credential);
    this.#knownUntil.set(credential, performance.now() + this.limits.rememberedMs);
    if (this.#knownUntil.size <= this.limits.maxCredentials) return;
    const [oldest = ""] = this.#knownUntil.keys();
    this.#knownUntil.delete(oldest);
  }

  /** Whether a request shows a credential that was valid of late. */
  knows(headers: Headers): boolean {
    return credentialHeaders.some((name) => {
      const credential = headers.get(name);
      return credential !== null && (this.#knownUntil.get(credential) ?? 0) > performance.now();
    });
  }
}

/** Those of this process. */
export const knownCallers = new KnownCallers();
