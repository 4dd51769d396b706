/** Comparison of secrets in a time that says nothing about where, or by how much, they differ. */

/**
 * Whether `a` and `b` are the same text. Both are reduced to their HMAC under a key drawn for this
 * call, so neither content nor length of a secret shows in the time the comparison takes.
 */
export async function equalInConstantTime(a: string, b: string): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    "raw",
    crypto.getRandomValues(new Uint8Array(32)),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const [digestA, digestB] = await Promise.all([computeDigest(key, a), computeDigest(key, b)]);
  let difference = 0;
  for (let index = 0; index < digestA.length; index++) {
    difference |= (digestA[index] ?? 0) ^ (digestB[index] ?? 0);
  }
  return difference === 0;
}

async function computeDigest(key: CryptoKey, text: string): Promise<Uint8Array> {
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return new Uint8Array(signature);
}
