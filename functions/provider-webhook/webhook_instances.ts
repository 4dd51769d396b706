import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { ReceivingProvider } from "../../shared/providers/webhooks/receiving.ts";
import type { SealedInstance } from "../../shared/model/instance.ts";
import type { WebhookReceiver } from "../../shared/providers/webhooks/webhook.ts";

/** The instance of a webhook address, with decrypted credentials. */
export interface WebhookInstance {
  readonly instanceId: string;
  /** The stored credentials. A different text means that they were replaced. */
  readonly sealedProviderConfig: string;
  readonly receiver: WebhookReceiver;
}

/** Whether a call has the instance's credential. */
export type CheckCredential = (instance: WebhookInstance) => Promise<boolean>;

/**
 * Finds the instance of a webhook address. Returns null for an unknown instance and for a wrong
 * credential alike.
 */
type Authenticate = (
  provider: ReceivingProvider,
  reference: string,
  check: CheckCredential,
) => Promise<WebhookInstance | null>;

export interface WebhookInstances {
  readonly authenticate: Authenticate;
  /**
   * The same for a call that stores nothing. Compares only with credentials just read from the
   * database.
   */
  readonly authenticateFresh: Authenticate;
  /** Removes an address from the cache, so that the next call queries the database. */
  forget(provider: ReceivingProvider, reference: string): void;
}

/** How long credentials stay in the cache, in milliseconds. */
const cacheMs = 60_000;
/**
 * How long a cached result may reject a credential, in milliseconds. It limits the delay until a
 * new instance or a rotated secret works, and the queries that wrong credentials cause.
 */
const rejectionCacheMs = 2_000;
const maxCacheEntries = 1_000;
const maxReferenceLength = 255;

interface CacheEntry {
  readonly instance: Promise<WebhookInstance | null>;
  /** By `performance.now()`. */
  readonly loadedAt: number;
}

/**
 * Looks up instances by their webhook address and caches them for a minute, so that a delivery
 * costs one round trip: the recording. Checks a wrong credential again with current data, so that a
 * rotated one works. Queries the database at most every two seconds per address, so that a flood of
 * wrong credentials does not load it.
 */
export function createWebhookInstances(
  database: Database,
  vault: CredentialVault,
): WebhookInstances {
  const cache = new Map<string, CacheEntry>();

  const load = async (
    provider: ReceivingProvider,
    reference: string,
  ): Promise<WebhookInstance | null> => {
    const { instance } = await database.rpc(
      "find_webhook_instance",
      { provider: provider.kind, instanceRef: reference },
    );
    return instance === null ? null : await openInstance(vault, provider, instance);
  };

  /**
   * Returns the cached instance if it is at most `maxAgeMs` old; otherwise queries the database.
   */
  const findInstance = async (
    provider: ReceivingProvider,
    reference: string,
    maxAgeMs: number,
  ): Promise<WebhookInstance | null> => {
    const key = toKey(provider, reference);
    const cached = cache.get(key);
    if (cached !== undefined && performance.now() - cached.loadedAt < maxAgeMs) {
      return await cached.instance;
    }
    const instance = load(provider, reference);
    const entry = { instance, loadedAt: performance.now() };
    addToCache(key, entry);
    try {
      return await instance;
    } catch (error) {
      if (cache.get(key) === entry) cache.delete(key);
      throw error;
    }
  };

  /** Evicts the oldest entry when full. */
  const addToCache = (key: string, entry: CacheEntry): void => {
    cache.delete(key);
    cache.set(key, entry);
    const [oldest] = cache.keys();
    if (cache.size > maxCacheEntries && oldest !== undefined) cache.delete(oldest);
  };

  const authenticateFresh: Authenticate = async (
    provider,
    reference,
    check,
  ) => {
    if (!canBeReference(reference)) return null;
    const current = await findInstance(provider, reference, rejectionCacheMs);
    return current !== null && await check(current) ? current : null;
  };

  return {
    authenticate: async (provider, reference, check) => {
      if (!canBeReference(reference)) return null;
      const cached = await findInstance(provider, reference, cacheMs);
      return cached !== null && await check(cached)
        ? cached
        : await authenticateFresh(provider, reference, check);
    },
    authenticateFresh,
    forget: (provider, reference) => void cache.delete(toKey(provider, reference)),
  };
}

/** Valid references are shorter, and Postgres does not accept NUL. */
function canBeReference(reference: string): boolean {
  return reference.length <= maxReferenceLength && !reference.includes("\u0000");
}

function toKey(provider: ReceivingProvider, reference: string): string {
  return `${provider.kind} ${reference}`;
}

async function openInstance(
  vault: CredentialVault,
  provider: ReceivingProvider,
  { instanceId, sealedProviderConfig }: SealedInstance,
): Promise<WebhookInstance> {
  const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
  return { instanceId, sealedProviderConfig, receiver: provider.webhook.open(config) };
}
