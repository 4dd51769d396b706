/** The providers that a process works with, each with what one role or all of them need. */
export interface ProviderRegistry<Listed extends { readonly kind: string }> {
  /** In the order in which they are documented. */
  readonly providers: readonly Listed[];
  /**
   * The provider of this kind.
   *
   * @throws Error for an unknown kind: a defect, the database knows the same kinds.
   */
  get(kind: string): Listed;
}

/**
 * A registry of these providers.
 *
 * @throws Error when two have the same kind.
 */
export function createRegistry<Listed extends { readonly kind: string }>(
  providers: readonly Listed[],
): ProviderRegistry<Listed> {
  const byKind = new Map(providers.map((provider) => [provider.kind, provider]));
  if (byKind.size < providers.length) throw new Error("two providers have the same kind");
  return {
    providers,
    get: (kind) => {
      const provider = byKind.get(kind);
      if (provider === undefined) throw new Error(`unknown provider kind: ${kind}`);
      return provider;
    },
  };
}
