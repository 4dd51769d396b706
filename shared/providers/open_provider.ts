import type { CredentialVault } from "../crypto/credential_vault.ts";
import type { ProviderRegistry } from "./create_registry.ts";
import type { Provider } from "./provider.ts";
import type { SendingProvider } from "./sending.ts";
import type { SealedInstance } from "../model/instance.ts";

/** Opens the provider of an instance with its credentials. */
export type OpenProvider = (instance: SealedInstance) => Promise<Provider>;

/**
 * Maximum number of opened providers per process: enough for every instance that one process
 * serves.
 */
const maxOpenProviders = 1_000;

/**
 * Loads the providers with the first message, so that preflights and refused requests do not load
 * them.
 */
async function loadRegistry(): Promise<ProviderRegistry<SendingProvider>> {
  return (await import("./sending_registry.ts")).sendingRegistry;
}

/**
 * Opens providers and caches them, so that the same credentials are unsealed once. The cache key is
 * the instance and the sealed text. New credentials therefore open a new provider at once. The
 * vault refuses a seal copied to another instance, even if it was opened for its own instance
 * before.
 */
export function createProviderOpener(
  vault: CredentialVault,
  load: () => Promise<ProviderRegistry<SendingProvider>> = loadRegistry,
): OpenProvider {
  const opened = new Map<string, Provider>();
  return async ({ instanceId, provider: kind, sealedProviderConfig }) => {
    const key = `${instanceId} ${kind} ${sealedProviderConfig}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
    const registry = await load();
    const provider = await registry.get(kind).open(config, instanceId);
    if (opened.size >= maxOpenProviders) opened.delete(opened.keys().next().value ?? "");
    opened.set(key, provider);
    return provider;
  };
}
