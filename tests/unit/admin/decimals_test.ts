import { addDecimals, negateDecimal } from "../../../supabase/admin/decimals.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("decimal texts are added without a rounding error, and without needless zeros", () => {
  assertEquals(addDecimals(["0.1", "0.2"]), "0.3");
  assertEquals(addDecimals(["12", "0.5", "-13"]), "-0.5");
  assertEquals(addDecimals(["1.50", "1.5"]), "3");
  assertEquals(addDecimals([]), "0");
  assertEquals(addDecimals(["-0.03", "0.01"]), "-0.02");
  assertEquals(
    addDecimals(["900719925474099.0000000001", "0.0000000001"]),
    "900719925474099.0000000002",
  );
  assertEquals([negateDecimal("1.5"), negateDecimal("-1.5")], ["-1.5", "1.5"]);
});
