/** What a client token may be used for. A token without scopes of its own has them all. */
export const tokenScopes = [
  ...["send", "contacts", "conversations", "history", "events", "media"] as const,
  ...["batches", "erase"] as const,
] as const;
export type TokenScope = (typeof tokenScopes)[number];
