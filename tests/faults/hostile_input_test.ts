import { fuzzEveryOperation } from "../functions/contract/fuzz.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";

const { requests = 500, seed = Math.floor(Math.random() * 2 ** 31) } = readFaultSettings();

Deno.test("hostile requests of a random seed break nothing", async () => {
  printFigures("hostile input", await fuzzEveryOperation({ requests, seed }));
});
