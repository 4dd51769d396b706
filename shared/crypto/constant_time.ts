/** Compares secrets in constant time. */

/**
 * Whether `a` and `b` are equal. Compares their HMACs under a random key of this call, so the duration
 * reveals neither the content nor the length of a secret.
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
