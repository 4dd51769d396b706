/**
 * Hostile requests, made from every operation's own example: whatever is sent, no operation answers
 * 500, leaks a stack, or writes anything where it refuses. Generated from the operations; the long
 * run is in tests/faults.
 */

import { printFigures } from "../../support/faults/figures.ts";
import { fuzzEveryOperation } from "./fuzz.ts";

Deno.test("a thousand hostile requests are refused or served, and never break anything", async () => {
  printFigures("hostile input", await fuzzEveryOperation({ requests: 1_000, seed: 20_261_121 }));
});
