import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { ProviderDescriptor } from "../../shared/providers/descriptor.ts";
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
  provider: ProviderDescriptor,
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
  forget(provider: ProviderDescriptor, reference: string): void;
}

/** How long credentials stay in the cache, in milliseconds. */
const rememberedMs = 60_000;
/**
 * How long a cached result may reject a credential, in milliseconds. It limits the delay until a
 * new instance or a rotated secret works, and the queries that wrong credentials cause.
 */
const refusalMs = 2_000;
const maxRemembered = 1_000;
const maxReferenceLength = 255;

interface Remembered {
  readonly instance: Promise<WebhookInstance | null>;
  /** By `performance.now()`. */
  readonly askedAt: number;
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
  const remembered = new Map<string, Remembered>();

  const load = async (
    provider: ProviderDescriptor,
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
  const recall = async (
    provider: ProviderDescriptor,
    reference: string,
    maxAgeMs: number,
  ): Promise<WebhookInstance | null> => {
    const key = toKey(provider, reference);
    const known = remembered.get(key);
    if (known !== undefined && performance.now() - known.askedAt < maxAgeMs) {
      return await known.instance;
    }
    const instance = load(provider, reference);
    const entry = { instance, askedAt: performance.now() };
    remember(key, entry);
    try {
      return await instance;
    } catch (error) {
      if (remembered.get(key) === entry) remembered.delete(key);
      throw error;
    }
  };

  /** Evicts the oldest entry when full. */
  const remember = (key: string, entry: Remembered): void => {
    remembered.delete(key);
    remembered.set(key, entry);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
  };

  const authenticateFresh: Authenticate = async (
    provider,
    reference,
    check,
  ) => {
    if (!canBeReference(reference)) return null;
    const current = await recall(provider, reference, refusalMs);
    return current !== null && await check(current) ? current : null;
  };

  return {
    authenticate: async (provider, reference, check) => {
      if (!canBeReference(reference)) return null;
      const known = await recall(provider, reference, rememberedMs);
      return known !== null && await check(known)
        ? known
        : await authenticateFresh(provider, reference, check);
    },
    authenticateFresh,
    forget: (provider, reference) => void remembered.delete(toKey(provider, reference)),
  };
}

/** Valid references are shorter, and Postgres does not accept NUL. */
function canBeReference(reference: string): boolean {
  return reference.length <= maxReferenceLength && !reference.includes("\u0000");
}

function toKey(provider: ProviderDescriptor, reference: string): string {
  return `${provider.kind} ${reference}`;
}

async function openInstance(
  vault: CredentialVault,
  provider: ProviderDescriptor,
  { instanceId, sealedProviderConfig }: SealedInstance,
): Promise<WebhookInstance> {
  const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
  return { instanceId, sealedProviderConfig, receiver: provider.webhook.open(config) };
}
