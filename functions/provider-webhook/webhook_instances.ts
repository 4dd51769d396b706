import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { SealedInstance } from "../../shared/providers/open_provider.ts";
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import { type ParsedProviderConfig, parseProviderConfig } from "../../shared/providers/registry.ts";

/** The instance that a webhook address names, with its credentials open. */
export interface WebhookInstance<Kind extends ProviderKind> {
  readonly instanceId: string;
  /** `config` as it is stored: another one means that the credentials have been replaced. */
  readonly sealedProviderConfig: string;
  readonly config: Extract<ParsedProviderConfig<Kind>, { ok: true }>["config"];
}

/** Whether a call's credential is the instance's. */
export type CheckCredential<Kind extends ProviderKind> = (
  instance: WebhookInstance<Kind>,
) => Promise<boolean>;

export interface WebhookInstances {
  /** The instance, when the call shows its credential; null for a wrong one as for no instance. */
  authenticate<Kind extends ProviderKind>(
    provider: Kind,
    reference: string,
    check: CheckCredential<Kind>,
  ): Promise<WebhookInstance<Kind> | null>;
  /** The same for a call that stores nothing, whose credential is compared with none but fresh ones. */
  authenticateFresh: WebhookInstances["authenticate"];
  /** Asks the database the next time: what is remembered of this address is out of date. */
  forget(provider: ProviderKind, reference: string): void;
}

/** How long an instance's credentials are known without asking again, in milliseconds. */
const rememberedMs = 60_000;
/**
 * How long what the database said is enough to refuse a credential by, in milliseconds: so late a
 * new instance or a rotated secret is known at most, and so often at most wrong ones cost a look.
 */
const refusalMs = 2_000;
const maxRemembered = 1_000;
const maxReferenceLength = 255;

interface Remembered {
  readonly instance: Promise<WebhookInstance<ProviderKind> | null>;
  /** By `performance.now()`. */
  readonly askedAt: number;
}

/**
 * Looks instances up by their webhook address and remembers them for a minute, so that a delivery
 * costs one round trip: the recording. A credential that does not fit is checked once more against
 * what the database says now, so that a rotated one works; but only every two seconds for one
 * address, so that a flood of wrong ones costs it nothing.
 */
export function createWebhookInstances(
  database: Database,
  vault: CredentialVault,
): WebhookInstances {
  const remembered = new Map<string, Remembered>();

  const load = async <Kind extends ProviderKind>(
    provider: Kind,
    reference: string,
  ): Promise<WebhookInstance<Kind> | null> => {
    const { instance } = await database.rpc<{ instance: SealedInstance | null }>(
      "find_webhook_instance",
      { provider, instanceRef: reference },
    );
    return instance === null ? null : await openInstance(vault, provider, instance);
  };

  /** What is known for no longer than `maxAgeMs`, asked for where there is nothing. */
  const recall = async <Kind extends ProviderKind>(
    provider: Kind,
    reference: string,
    maxAgeMs: number,
  ): Promise<WebhookInstance<Kind> | null> => {
    const key = toKey(provider, reference);
    const known = remembered.get(key);
    if (known !== undefined && performance.now() - known.askedAt < maxAgeMs) {
      return await known.instance as WebhookInstance<Kind> | null;
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

  /** The oldest makes room. */
  const remember = (key: string, entry: Remembered): void => {
    remembered.delete(key);
    remembered.set(key, entry);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
  };

  const authenticateFresh: WebhookInstances["authenticate"] = async (
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

/** No instance is called otherwise, and the database cannot even be asked for a NUL. */
function canBeReference(reference: string): boolean {
  return reference.length <= maxReferenceLength && !reference.includes("\u0000");
}

function toKey(provider: ProviderKind, reference: string): string {
  return `${provider} ${reference}`;
}

async function openInstance<Kind extends ProviderKind>(
  vault: CredentialVault,
  provider: Kind,
  { instanceId, sealedProviderConfig }: SealedInstance,
): Promise<WebhookInstance<Kind>> {
  const sealed = await vault.open<unknown>(sealedProviderConfig, instanceId);
  const parsed: ParsedProviderConfig<Kind> = parseProviderConfig(provider, sealed);
  if (!parsed.ok) throw new Error(`stored ${provider} configuration does not fit`);
  return { instanceId, sealedProviderConfig, config: parsed.config };
}
