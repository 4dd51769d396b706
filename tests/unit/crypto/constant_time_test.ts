import fc from "fast-check";
import { equalInConstantTime } from "../../../shared/crypto/constant_time.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("a text equals itself", async () => {
  const anyText = fc.string({ unit: "grapheme" });
  await fc.assert(fc.asyncProperty(anyText, async (text) => {
    assertEquals(await equalInConstantTime(text, `${text}`), true);
  }));
});

Deno.test("different texts are never equal, whatever their length", async () => {
  const pairs: readonly [string, string][] = [
    ["", "a"],
    ["secret", "secreu"],
    ["secret", "Secret"],
    ["secret", "secret "],
    ["secret", "secre"],
    ["secret", "secretsecret"],
    ["a".repeat(1000), "a".repeat(1001)],
    ["é", "e\u0301"],
    ["a\0", "a"],
  ];
  for (const [a, b] of pairs) {
    assertEquals(await equalInConstantTime(a, b), false);
    assertEquals(await equalInConstantTime(b, a), false);
  }
});

Deno.test("texts are equal exactly when they are identical", async () => {
  const anyText = fc.string({ unit: "grapheme" });
  await fc.assert(fc.asyncProperty(anyText, anyText, async (a, b) => {
    assertEquals(await equalInConstantTime(a, b), a === b);
  }));
});

Deno.test("every byte of the digests counts", async () => {
  // A comparison of one byte alone would call about 8 of 2,000 different texts equal.
  const equal = await Promise.all(
    Array.from({ length: 2000 }, (_, index) => equalInConstantTime("secret", `secret${index}`)),
  );
  assertEquals(equal.filter(Boolean), []);
});
