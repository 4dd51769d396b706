import type { ProviderDescriptor } from "./descriptor.ts";

/** The providers that a process works with. */
export interface ProviderRegistry {
  /** In the order in which they are documented. */
  readonly providers: readonly ProviderDescriptor[];
  /**
   * The provider of this kind.
   *
   * @throws Error for an unknown kind: a defect, the database knows the same kinds.
   */
  get(kind: string): ProviderDescriptor;
  /** Loads the sending modules of every provider. */
  preload(): Promise<void>;
}

/**
 * A registry of these providers.
 *
 * @throws Error when two have the same kind.
 */
export function createRegistry(providers: readonly ProviderDescriptor[]): ProviderRegistry {
  const byKind = new Map(providers.map((provider) => [provider.kind, provider]));
  if (byKind.size < providers.length) throw new Error("two providers have the same kind");
  return {
    providers,
    get: (kind) => {
      const provider = byKind.get(kind);
      if (provider === undefined) throw new Error(`unknown provider kind: ${kind}`);
      return provider;
    },
    preload: async () => {
      await Promise.all(providers.map((provider) => provider.preload()));
    },
  };
}
