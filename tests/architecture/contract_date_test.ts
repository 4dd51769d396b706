/** `X-Api-Version` names a day on which the contract was released, or is about to be. */
import { contractDate } from "../../shared/model/contract_date.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { readText } from "./repository.ts";

Deno.test("the contract's date is that of the last release that changed it, or later while a next one is open", async () => {
  const [unreleased = "", ...released] = (await readText("CHANGELOG.md")).split(/^## \[/m).slice(1);
  const day = released.map((section) => /^\d+\.\d+\.0\] - (\S+)/.exec(section)?.[1])
    .find((found) => found !== undefined) ?? "";
  assertEquals(new Date(contractDate).toISOString().slice(0, 10), contractDate);
  const isOpen = /^- /m.test(unreleased);
  assert(isOpen ? contractDate > day : contractDate === day, `${contractDate}, released ${day}`);
});
