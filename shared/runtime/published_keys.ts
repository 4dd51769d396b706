/**
 * Keys that earlier versions of this repository held as defaults of the local stack. Everybody can
 * read them in its history, so they protect nothing.
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
 * Whether credentials would be sealed under a key that is publicly known: the first of these, as
 * `CREDENTIALS_KEYS` lists them. One that only opens may stay until everything is resealed.
 */
export function sealsWithPublishedKey(credentialsKeys: string): boolean {
  return publishedCredentialsKeys.has(credentialsKeys.split(",")[0]?.trim() ?? "");
}

/** What to do about a published key in this variable; one sentence for the person who starts it. */
export function describePublishedKey(variable: string): string {
  return `${variable} holds a key that earlier versions of this repository published, so it protects nothing: set a random one of your own, or leave it out on the local stack, which draws one.`;
}
