import fc from "fast-check";
import { hasError, parsePix, type PixDynamicObject, type PixStaticObject } from "pix-utils";
import {
  buildStaticCode,
  checkBrCode,
  foldToAscii,
  toTxid,
} from "../../../shared/model/br_code.ts";
import { writeAmount } from "../../../shared/model/money.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const dynamicCodes = [
  "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB",
  "00020101021226790014br.gov.bcb.pix2557pix.exemplo.com.br/qr/v2/9d36b84fc70b478fb95c12729b90ca255204000053039865802BR5911LOJA MODELO6009SAO PAULO62070503***63047EFD",
];

const keys = fc.oneof(
  fc.constantFrom("12345678909", "11222333000181", "12ABC34501DE35", "+5511999998888"),
  fc.uuid(),
  fc.integer({ min: 1, max: 64 }).map((length) => `${"a".repeat(length)}@example.com`),
);

Deno.test("200 random static codes are read back by another reader, and by ours", () => {
  const given = fc.record({
    key: keys,
    merchantName: fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }).map((text) =>
      `Loja ${text}`
    ),
    merchantCity: fc.constantFrom("São Paulo", "Brasília", "Ribeirão Preto do Sul", "Óbidos"),
    cents: fc.bigInt({ min: 1n, max: 999_999_999_999n }),
    reference: fc.stringMatching(/^[A-Za-z0-9._-]{1,35}$/),
  });
  fc.assert(
    fc.property(given, (asked) => {
      const text = buildStaticCode(asked);
      const read = parsePix(text);
      assert(!hasError(read), text);
      const other = read as PixStaticObject;
      assertEquals(other.pixKey, asked.key);
      assertEquals(other.merchantName, foldToAscii(asked.merchantName, 25));
      assertEquals(other.merchantCity, foldToAscii(asked.merchantCity, 15));
      assertEquals(other.transactionAmount?.toFixed(2), writeAmount(asked.cents));
      assertEquals(other.txid, toTxid(asked.reference));
      const { code, fault } = checkBrCode(text, asked.cents);
      assertEquals(fault, undefined);
      assertEquals(code?.key, asked.key);
    }),
    { numRuns: 200 },
  );
});

Deno.test("dynamic codes are read alike by another reader", () => {
  for (const text of dynamicCodes) {
    const read = parsePix(text);
    assert(!hasError(read));
    assertEquals((read as PixDynamicObject).url, checkBrCode(text).code?.key);
  }
});
