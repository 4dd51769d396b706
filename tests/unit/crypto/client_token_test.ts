import {
  createClientToken,
  createEmbedKey,
  hashClientToken,
} from "../../../shared/crypto/client_token.ts";
import { assertEquals, assertMatch } from "../../support/assert.ts";

Deno.test("a client token is mia_ and 32 random bytes in base64url", async () => {
  const { token } = await createClientToken();
  assertMatch(token, /^mia_[A-Za-z0-9_-]{43}$/);
});

Deno.test("a client token's hash is the SHA-256 of the whole token", async () => {
  const { token, tokenHash } = await createClientToken();
  assertMatch(tokenHash, /^[0-9a-f]{64}$/);
  assertEquals(await hashClientToken(token), tokenHash);
  // printf mia_test | sha256sum
  assertEquals(
    await hashClientToken("mia_test"),
    "6d171457fccdc2eafc637f1b4bf58a45cd282738a0ca1bcae5accde11fcbceeb",
  );
});

Deno.test("tokens and embed keys never repeat", async () => {
  const tokens = await Promise.all(Array.from({ length: 200 }, createClientToken));
  assertEquals(new Set(tokens.map(({ token }) => token)).size, 200);
  assertEquals(new Set(tokens.map(({ tokenHash }) => tokenHash)).size, 200);
  assertEquals(new Set(Array.from({ length: 200 }, createEmbedKey)).size, 200);
});

Deno.test("an embed key is emb_ and 24 random bytes in base64url", () => {
  assertMatch(createEmbedKey(), /^emb_[A-Za-z0-9_-]{32}$/);
});
