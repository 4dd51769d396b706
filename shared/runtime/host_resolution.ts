import { isIpv4, isPublicAddress, isPublicHost } from "../model/public_host.ts";

/** The addresses of a host name, as the runtime's resolver has them. Rejects with a DNS code. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * `public`: every address is, or the runtime cannot tell. `private`: at least one is not.
 * `unresolved`: the name has no address now.
 */
export type HostVerdict = "public" | "private" | "unresolved";

/**
 * How long a verdict counts. A name can change its addresses between the check and the call ("DNS
 * rebinding"), so it is short; and not zero, because each of 500 calls a second would ask.
 */
const lifetimeMs = 1_000;
const maxHosts = 1_000;

/**
 * Codes of a resolver: `ENOTFOUND`, `EAI_AGAIN`, `ESERVFAIL`. A runtime without one throws no code, or
 * one like `ERR_NOT_IMPLEMENTED`.
 */
const dnsCode = /^E(?!RR_)[A-Z_]+$/;

/**
 * Checks where host names lead, just before they are called: a public name may resolve to a private
 * address. Needs the runtime's resolver, the one that `fetch` uses. Where a runtime has none,
 * only the written host is checked; where it has one, a name is called only with its addresses known.
 */
export class HostResolution {
  readonly #verdicts = new Map<string, { verdict: Promise<HostVerdict>; untilMs: number }>();
  /** Decided once, at the first use. */
  #hasResolver: Promise<boolean> | undefined;

  constructor(private readonly resolve: ResolveHost = resolveWithRuntime) {}

  /** @param hostname as `URL.hostname` gives it. */
  async check(hostname: string): Promise<HostVerdict> {
    if (!isPublicHost(hostname)) return "private";
    if (isIpv4(hostname) || hostname.startsWith("[")) return "public";
    const now = performance.now();
    const known = this.#verdicts.get(hostname);
    if (known !== undefined && known.untilMs > now) return await known.verdict;
    const verdict = this.#judge(hostname);
    this.#verdicts.delete(hostname);
    this.#verdicts.set(hostname, { verdict, untilMs: now + lifetimeMs });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > maxHosts && oldest !== undefined) this.#verdicts.delete(oldest);
    return await verdict;
  }

  async #judge(hostname: string): Promise<HostVerdict> {
    this.#hasResolver ??= canResolve(this.resolve);
    if (!await this.#hasResolver) return "public";
    try {
      const addresses = await this.resolve(hostname);
      if (addresses.length === 0) return "unresolved";
      return addresses.every(isPublicAddress) ? "public" : "private";
    } catch {
      // A failed look-up is no permission: the call's own look-up might succeed.
      return "unresolved";
    }
  }
}

/**
 * Whether the runtime has a resolver. Asks for a name that every resolver knows, so that no caller's name
 * decides it.
 */
async function canResolve(resolve: ResolveHost): Promise<boolean> {
  try {
    await resolve("localhost");
    return true;
  } catch (error) {
    const code: unknown = (error as { code?: unknown } | null)?.code;
    return typeof code === "string" && dnsCode.test(code);
  }
}

/** Loaded on first use: only what calls foreign hosts pays for it. */
async function resolveWithRuntime(hostname: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
