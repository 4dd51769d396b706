import { hashClientToken } from "./client_token.ts";

/** Hashes a client token, like `hashClientToken`. */
export type HashToken = (token: string) => Promise<string>;

/** Enough for every token in use by one process. An entry has about 300 bytes. */
const defaultMaxTokens = 1_000;

/** What `createClientToken` issues. Nothing else is worth keeping. */
const issuedForm = /^mia_[A-Za-z0-9_-]{43}$/;

/**
 * Creates a hasher that keeps the hashes of the tokens it saw last, because the runtime hashes in
 * another thread: an eighth of the processor time of a send.
 *
 * It holds a token and its hash, nothing that the hash leads to. So a revoked token stays refused:
 * the database decides at every request. Tokens leave memory when `maxTokens` newer ones came, or
 * with the process; they are never written anywhere.
 */
export function createTokenHasher(
  maxTokens: number = defaultMaxTokens,
  hash: HashToken = hashClientToken,
): HashToken {
  const hashes = new Map<string, string>();
  return async (token) => {
    const known = hashes.get(token);
    if (known !== undefined) {
      // A Map keeps the order of insertion, so the first entry is the one least recently used.
      hashes.delete(token);
      hashes.set(token, known);
      return known;
    }
    const hashed = await hash(token);
    if (!issuedForm.test(token)) return hashed;
    hashes.set(token, hashed);
    if (hashes.size > maxTokens) hashes.delete(hashes.keys().next().value ?? "");
    return hashed;
  };
}
