/** The channels that there are; each has its own form of `providerConfig`. */
export const providerKinds = ["whatsapp_cloud", "zapi", "evolution"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** What `send-template-message` reports: the official channel, or a gateway to the ordinary one. */
export type ProviderClass = "official" | "gateway";
