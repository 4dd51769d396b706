import fc from "fast-check";
import {
  decodeBase64,
  decodeBase64Url,
  encodeBase64Url,
  encodeHex,
  hashText,
} from "../../../shared/crypto/encoding.ts";
import { assertEquals, assertMatch } from "../../support/assert.ts";

Deno.test("base64url has no padding, no + and no /, and decodes to the same bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    const text = encodeBase64Url(bytes);
    assertMatch(text, /^[A-Za-z0-9_-]*$/);
    assertEquals(decodeBase64Url(text), Uint8Array.from(bytes));
  }));
  assertEquals(encodeBase64Url(new Uint8Array([251, 255, 254])), "-__-");
});

Deno.test("invalid base64 decodes to null", () => {
  for (const text of ["a", "ab+c", "ab/c", "ab=", "a b c", "ação"]) {
    assertEquals(decodeBase64Url(text), null, text);
  }
  for (const text of ["a", "ab-c", "YWJj\n", " YWJj", "YW=Jj", "ação"]) {
    assertEquals(decodeBase64(text), null, text);
  }
  const abc = new Uint8Array([97, 98, 99, 100]);
  for (const text of ["YWJjZA==", "YWJjZA"]) assertEquals(decodeBase64(text), abc, text);
});

Deno.test("hexadecimal is lower case with two digits a byte", () => {
  assertEquals(encodeHex(new Uint8Array([0, 1, 15, 16, 171, 255])), "00010f10abff");
});

Deno.test("hashText is the SHA-256 of the text's UTF-8 bytes", async () => {
  // FIPS 180-2, appendix B.1.
  const ofAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assertEquals(await hashText("abc"), ofAbc);
  assertEquals(await hashText("é"), await hashText("\u00e9"));
  assertEquals(await hashText("é") === await hashText("e\u0301"), false);
});
