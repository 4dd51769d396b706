/** Words of an instance's connection, as answers show them. */

/**
 * `connecting`: the session is being built up. `waiting_for_scan`: a code waits to be scanned or typed.
 * `unknown`: the provider did not say.
 */
export const connectionStates = [
  ...["connected", "connecting", "waiting_for_scan", "disconnected", "unknown"] as const,
] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** How a phone is paired with a gateway: it scans a code, or types one. */
export const connectionMethods = ["qr", "code"] as const;
export type ConnectionMethod = (typeof connectionMethods)[number];

/** The languages of the page on which a phone is connected. */
export const connectionLanguages = ["pt", "en", "es"] as const;
export type ConnectionLanguage = (typeof connectionLanguages)[number];

/** Where a provider sends an instance's events: to this service, or elsewhere, which may be nowhere. */
export const webhookStates = ["ours", "elsewhere", "unknown"] as const;
export type WebhookState = (typeof webhookStates)[number];
