import { assert, assertEquals } from "../../support/assert.ts";
import { listOperationRows } from "./contract_stack.ts";

/** `validateTemplate` judges any content by the channel's rules, and stores nothing. */
const operations = (await listOperationRows()).map(({ operation }) => operation)
  .filter(({ operationId }) => operationId !== "validateTemplate");

/** What people read in one line, and a terminal, a log or a table shows beside others. */
const names: ReadonlySet<string> = new Set([
  ...["name", "label", "sentBy", "company", "jobTitle", "businessInstanceId", "cardId", "model"],
  ...["tags", "addTags", "removeTags", "utmSource", "utmMedium", "utmCampaign"],
]);
const controls = ["\u001b]52;c;eA==\u0007", "\u009b2J", "a\nb", "\u202egpj.exe", "\u2066a\u2069"];

Deno.test("no name, label or sentBy of any operation takes control characters", () => {
  let checked = 0;
  for (const { operationId, body } of operations) {
    for (const name of Object.keys(body?.shape ?? {}).filter((one) => names.has(one))) {
      for (const control of controls) {
        const text = `x${control}x`;
        const value = name.endsWith("ags") ? [text] : text;
        const { error } = body?.safeParse({ [name]: value }) ?? {};
        const found = (error?.issues ?? []).filter(({ path }) => path[0] === name)
          .map(({ message }) => message);
        assertEquals(found, ["must not contain control characters"], `${operationId} ${name}`);
      }
      checked += 1;
    }
  }
  assert(checked >= 20, `${checked}`);
});

Deno.test("a line break around a name is no reason to refuse it", () => {
  for (const { operationId, body } of operations) {
    if (body?.shape["name"] === undefined) continue;
    const { error } = body.safeParse({ name: "\nAna \n" });
    assertEquals((error?.issues ?? []).filter(({ path }) => path[0] === "name"), [], operationId);
  }
});
