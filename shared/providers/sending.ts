import type { Provider } from "./provider.ts";
import { type ProviderBasis, type ProviderConfig, requireConfig } from "./stored_config.ts";

/** What a provider's folder declares for the functions that send. */
export interface SendingDefinition<Kind extends string, Config extends ProviderConfig>
  extends ProviderBasis<Kind, Config> {
  /** Loads the module that sends. */
  load(): Promise<(config: Config, instanceId: string) => Provider>;
}

/** A provider for the functions that send. */
export interface SendingProvider<Kind extends string = string> {
  readonly kind: Kind;
  /**
   * The provider of an instance, from its stored configuration. Its calls take the instance's share of a
   * host's slots.
   *
   * @throws Error when the configuration does not fit: a defect, it was checked when written. The
   * error names the fields, never their values.
   */
  open(config: unknown, instanceId: string): Promise<Provider>;
  /** Loads what `open` needs in advance, so that the first message is not delayed. */
  preload(): Promise<void>;
}

/** Converts a declaration into the form that callers use who do not know its configuration type. */
export function describeSending<Kind extends string, Config extends ProviderConfig>(
  definition: SendingDefinition<Kind, Config>,
): SendingProvider<Kind> {
  return {
    kind: definition.kind,
    open: async (value, instanceId) =>
      (await definition.load())(requireConfig(definition, value), instanceId),
    preload: async () => void await definition.load(),
  };
}
