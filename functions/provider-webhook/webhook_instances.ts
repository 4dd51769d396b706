import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { ProviderDescriptor } from "../../shared/providers/descriptor.ts";
import type { SealedInstance } from "../../shared/model/instance.ts";
import type { WebhookReceiver } from "../../shared/providers/webhooks/webhook.ts";

/** The instance that a webhook address names, with its credentials open. */
export interface WebhookInstance {
  readonly instanceId: string;
  /** The stored credentials: a different text means that they have been replaced. */
  readonly sealedProviderConfig: string;
  readonly receiver: WebhookReceiver;
}

/** Whether a call shows the instance's credential. */
export type CheckCredential = (instance: WebhookInstance) => Promise<boolean>;

/** Finds the instance of a webhook address; null for a wrong credential as for no instance. */
type Authenticate = (
  provider: ProviderDescriptor,
  reference: string,
  check: CheckCredential,
) => Promise<WebhookInstance | null>;

export interface WebhookInstances {
  readonly authenticate: Authenticate;
  /** The same for a call that stores nothing: it compares with fresh credentials only. */
  readonly authenticateFresh: Authenticate;
  /** Drops what is remembered of an address, so that the next call asks the database. */
  forget(provider: ProviderDescriptor, reference: string): void;
}

/** How long an instance's credentials are used without asking again, in milliseconds. */
const rememberedMs = 60_000;
/**
 * How long a database answer suffices to refuse a credential, in milliseconds. It bounds how late a
 * new instance or a rotated secret works, and how often wrong credentials cost a query.
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
 * Looks instances up by their webhook address and remembers them for a minute, so that a delivery
 * costs one round trip: the recording. A credential that does not fit is checked again against the
 * database's current answer, so that a rotated one works. One address asks the database at most
 * every two seconds, so that a flood of wrong credentials costs nothing there.
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

  /** The remembered instance if it is no older than `maxAgeMs`, else the database's answer. */
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

/** References are shorter, and Postgres takes no NUL. */
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
