import { boletoDigits, isBoletoLine } from "../../../shared/model/boleto.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const lines = [
  "23793.38128 60007.827136 95000.063305 9 75520000370000",
  "83640000001-1 33120138000-2 81288462711-6 08013618155-1",
];

Deno.test("the line of a bank's boleto and of a bill pass by their check digits", () => {
  for (const line of lines) assert(isBoletoLine(boletoDigits(line)), line);
});

Deno.test("a line with any one digit changed is refused", () => {
  const passed = lines.map(boletoDigits).flatMap((digits) =>
    Array.from(digits, (digit, at) => {
      const other = String((Number(digit) + 1) % 10);
      return digits.slice(0, at) + other + digits.slice(at + 1);
    }).filter(isBoletoLine)
  );
  assertEquals(passed, []);
});

Deno.test("what is no line is refused", () => {
  for (const text of ["", "123", "8".repeat(47), "2".repeat(48), "2".repeat(46), "a".repeat(47)]) {
    assert(!isBoletoLine(text), text);
  }
});
