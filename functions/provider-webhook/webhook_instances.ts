import type { CredentialVault } from "../../shared/credentials.ts";
import type { Database } from "../../shared/database/database.ts";
import type { SealedInstance } from "../../shared/instances.ts";
import type { ProviderKind } from "../../shared/providers/provider.ts";
import {
  type ParsedProviderConfig,
  parseProviderConfig,
} from "../../shared/providers/create_provider.ts";

/** The instance that a webhook address names, with its credentials open. */
export interface WebhookInstance<Kind extends ProviderKind> {
  readonly instanceId: string;
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
}

/** How long an instance's credentials are known without asking again, in milliseconds. */
const rememberedMs = 60_000;
const maxRemembered = 1_000;
const maxReferenceLength = 255;

interface Remembered {
  readonly instance: WebhookInstance<ProviderKind> | null;
  readonly until: number;
}

/**
 * Looks instances up by their webhook address and remembers them for a minute, so that a delivery
 * costs one round trip: the recording. A credential that does not fit is checked once more against
 * what the database says now, so that a rotated one works at once.
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
    // No instance is called so, and the database cannot even be asked for a NUL.
    if (reference.length > maxReferenceLength || reference.includes("\u0000")) return null;
    const { instance } = await database.rpc<{ instance: SealedInstance | null }>(
      "find_webhook_instance",
      { provider, instanceRef: reference },
    );
    const opened = instance === null ? null : await openInstance(vault, provider, instance);
    if (remembered.size >= maxRemembered) remembered.clear();
    const until = performance.now() + rememberedMs;
    remembered.set(`${provider} ${reference}`, { instance: opened, until });
    return opened;
  };

  return {
    authenticate: async (provider, reference, check) => {
      const known = remembered.get(`${provider} ${reference}`);
      if (known !== undefined && known.until > performance.now() && known.instance !== null) {
        const instance = known.instance as WebhookInstance<typeof provider>;
        if (await check(instance)) return instance;
      }
      const instance = await load(provider, reference);
      return instance !== null && await check(instance) ? instance : null;
    },
  };
}

async function openInstance<Kind extends ProviderKind>(
  vault: CredentialVault,
  provider: Kind,
  { instanceId, sealedProviderConfig }: SealedInstance,
): Promise<WebhookInstance<Kind>> {
  const sealed = await vault.open<unknown>(sealedProviderConfig, instanceId);
  const parsed: ParsedProviderConfig<Kind> = parseProviderConfig(provider, sealed);
  if (!parsed.ok) throw new Error(`stored ${provider} configuration does not fit`);
  return { instanceId, config: parsed.config };
}
