import fc from "fast-check";
import {
  addOrder,
  readCents,
  requireCents,
  writeAmount,
  writeReais,
} from "../../../shared/model/money.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

Deno.test("an amount is a number with a point and at most two places", () => {
  assertEquals(readCents("129.90"), 12_990n);
  assertEquals(readCents("129.9"), 12_990n);
  assertEquals(readCents("129"), 12_900n);
  assertEquals(readCents("0.01"), 1n);
  assertEquals(readCents("9999999999.99"), 999_999_999_999n);
  for (
    const wrong of [
      "",
      "1,50",
      "01.00",
      "-1",
      "+1",
      "1.",
      ".5",
      "1.999",
      "1e3",
      "10000000000",
      " 1",
      "١",
    ]
  ) {
    assertEquals(readCents(wrong), null, wrong);
  }
});

Deno.test("an amount that must have been checked is no other text", () => {
  assertEquals(requireCents("129.9"), 12_990n);
  assertThrows(() => requireCents("1,50"), Error, "a validated amount");
});

Deno.test("what is written is read again, to the cent", () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), (cents) => {
    assertEquals(readCents(writeAmount(cents)), cents);
  }));
  assertEquals(writeReais(12_990n), "R$ 129,90");
  assertEquals(writeReais(5n), "R$ 0,05");
  assertEquals(writeReais(123_456_789n), "R$ 1.234.567,89");
});

Deno.test("an order adds up exactly where floats do not", () => {
  const items = [{ cents: 10n, quantity: 3 }, { cents: 20n, quantity: 1 }];
  assertEquals(addOrder({ items, discountCents: 5n, shippingCents: 7n, taxCents: 1n }), 53n);
  const many = [{ cents: 999_999_999_999n, quantity: 999_999 }];
  assertEquals(
    addOrder({ items: many, discountCents: 0n, shippingCents: 0n, taxCents: 0n }),
    999_998_999_999_000_001n,
  );
});
