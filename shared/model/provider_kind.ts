/**
 * The kinds of provider, in the order in which they are documented. `providers/registry.ts` must
 * list the same: the compiler compares them.
 */
export const providerKinds = ["whatsapp_cloud", "zapi", "evolution"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The official channel has rules of its own; a gateway drives an ordinary WhatsApp account. */
export const providerClasses = ["official", "gateway"] as const;
export type ProviderClass = (typeof providerClasses)[number];
