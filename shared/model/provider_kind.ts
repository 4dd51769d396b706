/**
 * The kinds of provider, in the order in which they are documented. `deno task providers` writes the lists
 * of each role from it.
 */
export const providerKinds = ["whatsapp_cloud", "zapi", "evolution", "waha"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The official channel has rules of its own; a gateway drives an ordinary WhatsApp account. */
export const providerClasses = ["official", "gateway"] as const;
export type ProviderClass = (typeof providerClasses)[number];
