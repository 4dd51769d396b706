import { createClientToken, hashClientToken } from "../../../shared/crypto/client_token.ts";
import { createTokenHasher, type HashToken } from "../../../shared/crypto/token_hash_cache.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";

const issue = async (count: number): Promise<string[]> => {
  const tokens = await Promise.all(Array.from({ length: count }, () => createClientToken()));
  return tokens.map(({ token }) => token);
};

/** A hash that lists what it was asked for. */
function recordHashes(): { readonly hash: HashToken; readonly hashed: string[] } {
  const hashed: string[] = [];
  return {
    hashed,
    hash: (token) => {
      hashed.push(token);
      return Promise.resolve(`hash of ${token}`);
    },
  };
}

async function hashInTurn(hasher: HashToken, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) assertEquals(await hasher(token), `hash of ${token}`);
}

Deno.test("a kept hash is the token's hash", async () => {
  const [token = ""] = await issue(1);
  const hasher = createTokenHasher();
  for (const _ of [1, 2]) assertEquals(await hasher(token), await hashClientToken(token));
});

Deno.test("an issued token is hashed once", async () => {
  const { hash, hashed } = recordHashes();
  const [a = "", b = ""] = await issue(2);
  await hashInTurn(createTokenHasher(10, hash), [a, b, a, b, a]);
  assertEquals(hashed, [a, b]);
});

Deno.test("beyond the bound the token that was used least recently is forgotten", async () => {
  const { hash, hashed } = recordHashes();
  const [a = "", b = "", c = ""] = await issue(3);
  const hasher = createTokenHasher(2, hash);
  await hashInTurn(hasher, [a, b, a, c]);
  await hashInTurn(hasher, [a, c]);
  assertEquals(hashed, [a, b, c]);
  await hashInTurn(hasher, [b]);
  assertEquals(hashed, [a, b, c, b]);
});

Deno.test("a text that is no issued token is not kept, so that no caller fills the memory or displaces a token", async () => {
  const { hash, hashed } = recordHashes();
  const [token = ""] = await issue(1);
  const hasher = createTokenHasher(1, hash);
  const others = ["mia_x", `${token}x`, `emb${token.slice(3)}`, "x".repeat(8_000), ""];
  await hashInTurn(hasher, [token, ...others, ...others, token]);
  assertEquals(hashed, [token, ...others, ...others]);
});

Deno.test("a failed hash is not kept", async () => {
  const [token = ""] = await issue(1);
  let calls = 0;
  const hasher = createTokenHasher(10, (text) => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error("no")) : Promise.resolve(`hash of ${text}`);
  });
  await assertRejects(() => hasher(token), Error);
  assertEquals(await hasher(token), `hash of ${token}`);
});
