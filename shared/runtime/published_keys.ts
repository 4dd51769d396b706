/**
 * Keys that earlier versions of this repository contained as defaults of the local stack. The history
 * is public, so these keys protect nothing.
 */
const publishedSecretKeys: ReadonlySet<string> = new Set([
  "sb_secret_local_stack_only_0000000000000000",
]);
const publishedCredentialsKeys: ReadonlySet<string> = new Set([
  "bG9jYWwtc3RhY2stb25seS1jcmVkZW50aWFscy1rZXk=",
]);

/** Whether this secret key of the project is publicly known. */
export function isPublishedSecretKey(key: string): boolean {
  return publishedSecretKeys.has(key.trim());
}

/**
 * Whether the first key of `CREDENTIALS_KEYS`, the one that seals, is publicly known. A published key
 * further back only opens, and may stay until all credentials are resealed.
 */
export function sealsWithPublishedKey(credentialsKeys: string): boolean {
  return publishedCredentialsKeys.has(credentialsKeys.split(",")[0]?.trim() ?? "");
}

/** Tells the person who starts the stack what to do about a published key in this variable. */
export function describePublishedKey(variable: string): string {
  return `${variable} holds a key that earlier versions of this repository published, so it protects nothing: set a random key of your own. On the local stack, leave the variable unset: the stack generates one.`;
}
