import { createCredentialVault, CredentialError } from "../../../shared/crypto/credential_vault.ts";
import { assertEquals, assertMatch, assertRejects, assertThrows } from "../../support/assert.ts";

const createKey = (fill: number, sizeBytes = 32): string =>
  btoa(String.fromCharCode(...new Array<number>(sizeBytes).fill(fill)));
const oldKey = createKey(1);
const newKey = createKey(2);
const credentials = { accessToken: "EAAG-secret", verifyToken: "vérify", nested: [1, null, true] };

/** Asserts a `CredentialError` with this reason, thrown or rejected. */
async function assertFails(
  reason: CredentialError["reason"],
  act: () => unknown,
): Promise<void> {
  const error = await assertRejects(async () => await act(), CredentialError);
  assertEquals(error.reason, reason);
}

Deno.test("a sealed value opens under the same context", async () => {
  const vault = createCredentialVault(oldKey);
  for (const value of [credentials, "text", 7, null, [], {}, "x".repeat(100_000)]) {
    assertEquals(await vault.open(await vault.seal(value, "instance-1"), "instance-1"), value);
  }
});

Deno.test("a sealed text names version and key and reveals nothing of the value", async () => {
  const vault = createCredentialVault(oldKey);
  const sealed = await vault.seal(credentials, "instance-1");
  assertMatch(sealed, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
  const bytes = Uint8Array.from(atob(oldKey), (character) => character.charCodeAt(0));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const keyId = Array.from(digest.slice(0, 4), (byte) => byte.toString(16).padStart(2, "0"));
  assertEquals(vault.keyIdOf(sealed), keyId.join(""));
  assertEquals((await vault.keyIds())[0], keyId.join(""));
});

Deno.test("sealing the same value twice gives different texts", async () => {
  const vault = createCredentialVault(oldKey);
  const texts = await Promise.all(Array.from({ length: 50 }, () => vault.seal("same", "instance")));
  assertEquals(new Set(texts.map((text) => text.split(".")[2])).size, 50);
  assertEquals(new Set(texts.map((text) => text.split(".")[3])).size, 50);
});

Deno.test("the first key seals and every key opens", async () => {
  const before = await createCredentialVault(oldKey).seal(credentials, "instance-1");
  const rotated = createCredentialVault(` ${newKey} , ${oldKey} `);
  assertEquals(await rotated.open(before, "instance-1"), credentials);
  assertEquals(rotated.keyIdOf(before) === (await rotated.keyIds())[0], false);
  const after = await rotated.seal(await rotated.open(before, "instance-1"), "instance-1");
  assertEquals(rotated.keyIdOf(after), (await rotated.keyIds())[0]);
  assertEquals(await createCredentialVault(newKey).open(after, "instance-1"), credentials);
});

Deno.test("credentials of a removed key are rejected with the key's id", async () => {
  const sealed = await createCredentialVault(oldKey).seal(credentials, "instance-1");
  const vault = createCredentialVault(newKey);
  await assertFails("unknown_key", () => vault.open(sealed, "instance-1"));
});

Deno.test("credentials of one instance do not open for another", async () => {
  const vault = createCredentialVault(oldKey);
  const sealed = await vault.seal(credentials, "instance-1");
  for (const context of ["instance-2", "", "instance-1 "]) {
    await assertFails("not_authentic", () => vault.open(sealed, context));
  }
});

Deno.test("a sealed text altered anywhere does not open", async () => {
  const vault = createCredentialVault(oldKey);
  const sealed = await vault.seal(credentials, "instance-1");
  const [version, keyId, iv = "", ciphertext = ""] = sealed.split(".");
  const alter = (text: string): string => (text.startsWith("A") ? "B" : "A") + text.slice(1);
  const parts = [[iv, alter(ciphertext)], [alter(iv), ciphertext], [iv, ciphertext.slice(0, -4)]];
  for (const altered of parts) {
    const text = [version, keyId, ...altered].join(".");
    await assertFails("not_authentic", () => vault.open(text, "instance-1"));
  }
});

Deno.test("the key id cannot be exchanged for another configured key's", async () => {
  const vault = createCredentialVault(`${newKey},${oldKey}`);
  const sealed = await createCredentialVault(oldKey).seal(credentials, "instance-1");
  const text = sealed.replace(vault.keyIdOf(sealed), (await vault.keyIds())[0] ?? "");
  await assertFails("not_authentic", () => vault.open(text, "instance-1"));
});

Deno.test("any text that is not sealed is rejected", async () => {
  const vault = createCredentialVault(oldKey);
  const sealed = await vault.seal(credentials, "instance-1");
  const malformed = [
    ...["", "v1", "v1...", "{}", sealed.replace("v1", "v2"), `${sealed}.x`, ` ${sealed}`],
    ...[`${sealed}\n`, sealed.replaceAll(".", ":"), sealed.split(".").slice(0, 3).join(".")],
    ...[`${sealed}=`, `${sealed.split(".").slice(0, 3).join(".")}.short`],
  ];
  for (const text of malformed) {
    await assertFails("malformed", () => vault.keyIdOf(text));
    await assertFails("malformed", () => vault.open(text, "instance-1"));
  }
});

Deno.test("keys that are not 32 bytes in base64 are refused at once", async () => {
  const refused = [
    ...["", ",", `${oldKey},`, `,${oldKey}`, createKey(1, 16), createKey(1, 31), createKey(1, 33)],
    ...["not base64!", `${oldKey},short`, oldKey.replace("=", "").slice(1), "a".repeat(64)],
  ];
  for (const keys of refused) {
    assertThrows(() => createCredentialVault(keys), CredentialError);
    await assertFails("invalid_keys", () => createCredentialVault(keys));
  }
});

Deno.test("values without a JSON form are refused", async () => {
  const cyclic: Record<string, unknown> = { accessToken: "EAAG-secret" };
  cyclic["self"] = cyclic;
  for (const value of [undefined, () => 1, Symbol("s"), 1n, cyclic]) {
    const vault = createCredentialVault(oldKey);
    await assertFails("not_sealable", () => vault.seal(value, "instance-1"));
  }
});

Deno.test("no error holds a key, a credential or a sealed text", async () => {
  const badKey = "c2VjcmV0LWtleQ==";
  const vault = createCredentialVault(oldKey);
  const sealed = await vault.seal(credentials, "instance-1");
  const cyclic: Record<string, unknown> = { accessToken: "EAAG-secret" };
  cyclic["self"] = cyclic;
  const failures: (() => unknown)[] = [
    () => createCredentialVault(badKey),
    () => createCredentialVault(`${oldKey},${badKey}`),
    () => vault.seal(cyclic, "instance-1"),
    () => vault.open(sealed, "instance-2"),
    () => vault.open(`${sealed}.`, "instance-1"),
    () => createCredentialVault(newKey).open(sealed, "instance-1"),
  ];
  const ciphertext = sealed.split(".")[3] ?? "";
  for (const fail of failures) {
    const error = await assertRejects(async () => await fail(), CredentialError);
    const shown = `${error.message} ${String(error.cause)} ${Deno.inspect(error)}`;
    for (const secret of [badKey, "secret-key", oldKey, newKey, "EAAG-secret", ciphertext]) {
      assertEquals(shown.includes(secret), false);
    }
  }
});
