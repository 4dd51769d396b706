import type { CredentialVault } from "../crypto/credential_vault.ts";
import type { Provider } from "./provider.ts";
import type { ProviderKind } from "../model/provider_kind.ts";

/** One channel connection, as the database hands it out with its credentials sealed. */
export interface Instance {
  readonly instanceId: string;
  readonly name: string;
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly gatewayInstanceId: string | null;
  readonly connectedPhone: string;
  readonly timeZone: string;
}

/** What is needed of an instance to open its provider. */
export type SealedInstance = Pick<Instance, "instanceId" | "provider" | "sealedProviderConfig">;

/** Opens the provider of an instance with its credentials. */
export type OpenProvider = (instance: SealedInstance) => Promise<Provider>;

/** Opened providers kept per process: enough for every instance that one is busy with. */
const maxOpenProviders = 1_000;

/**
 * A way to open providers that unseals the same credentials once. Instance and sealed text are the
 * key: new credentials open a new provider at once, and a seal that was copied to another instance
 * is refused as the vault refuses it, opened before or not.
 */
export function createProviderOpener(vault: CredentialVault): OpenProvider {
  const open = new Map<string, Provider>();
  return async ({ instanceId, provider, sealedProviderConfig }) => {
    const key = `${instanceId} ${provider} ${sealedProviderConfig}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
    // Loaded with the first message: preflights, refusals and assignments do not pay for it.
    const { createProvider } = await import("./registry.ts");
    const opened = createProvider(provider, config);
    if (open.size >= maxOpenProviders) open.delete(open.keys().next().value ?? "");
    open.set(key, opened);
    return opened;
  };
}
