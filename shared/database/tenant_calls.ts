import { AppError } from "../model/errors.ts";
import { Semaphore } from "../runtime/semaphore.ts";

/** What one tenant's calls may take of a process. */
export interface TenantLimits {
  /** How many of a tenant's calls are under way at once. */
  readonly maxCalls: number;
  /** How long one more waits for its turn. */
  readonly waitMs: number;
  /** Beyond this time a call is taken to wait, for a lock as a rule, and not to work. */
  readonly slowAfterMs: number;
}

interface TenantShare {
  readonly permits: Semaphore;
  /** When each call under way has begun, the oldest first. */
  readonly begun: Set<{ readonly at: number }>;
  /** Calls under way, and those that wait for a permit. */
  calls: number;
}

/**
 * Bounds the calls that each tenant has under way by themselves, outside groups. A call that waits for a
 * lock holds its connection for up to 8 s, so without a bound the locks of one tenant take all connections.
 */
export class TenantCalls {
  readonly #shares = new Map<string, TenantShare>();

  constructor(private readonly limits: TenantLimits) {}

  /**
   * Makes a call when the tenant has a place for it.
   *
   * @param tenant whose place it takes; null for a call that is nobody's, which takes none.
   * @param isForced whether it takes one at once, even above the bound: the others wait for it too.
   * @throws {AppError} `service_unavailable` where none becomes free in time: the call was not made.
   */
  async run<Result>(
    tenant: string | null,
    call: () => Promise<Result>,
    { isForced = false } = {},
  ): Promise<Result> {
    if (tenant === null) return await call();
    const share = this.#shareOf(tenant);
    share.calls += 1;
    try {
      if (isForced) share.permits.forceAcquire();
      else if (!await share.permits.acquire(this.limits.waitMs)) throw tooManyCalls();
      const begun = { at: performance.now() };
      share.begun.add(begun);
      try {
        return await call();
      } finally {
        share.begun.delete(begun);
        share.permits.release();
      }
    } finally {
      share.calls -= 1;
      if (share.calls === 0) this.#shares.delete(tenant);
    }
  }

  /** Whether a call of the tenant waits: its next calls probably will too. */
  isHeldUp(tenant: string | null): boolean {
    const share = tenant === null ? undefined : this.#shares.get(tenant);
    if (share === undefined) return false;
    const [oldest] = share.begun;
    return oldest !== undefined && performance.now() - oldest.at >= this.limits.slowAfterMs;
  }

  #shareOf(tenant: string): TenantShare {
    const known = this.#shares.get(tenant);
    if (known !== undefined) return known;
    const share = {
      permits: new Semaphore(this.limits.maxCalls),
      begun: new Set<never>(),
      calls: 0,
    };
    this.#shares.set(tenant, share);
    return share;
  }
}

/** Whose call it is: the instance that its request names; null where it names none. */
export function findTenant(request: object): string | null {
  const { instanceId } = request as { readonly instanceId?: unknown };
  return typeof instanceId === "string" ? instanceId : null;
}

function tooManyCalls(): AppError {
  return new AppError("service_unavailable", {
    message: "This instance has too many calls under way; try again in a moment.",
  });
}
