import { listTypeScriptMutants } from "../../mutants/typescript_mutators.ts";
import { assertEquals } from "../../support/assert.ts";

function listLines(text: string): string[] {
  return listTypeScriptMutants("f.ts", text).map(({ text, line }) =>
    text.split("\n")[line - 1] ?? ""
  );
}

Deno.test("conditions, comparisons, numbers and statements of TypeScript are broken one at a time", () => {
  assertEquals(listLines("if (a === 1 && b) run(a);"), [
    "if (null === a === 1 && b) run(a);",
    "if (a !== 1 && b) run(a);",
    "if (a === 2 && b) run(a);",
    "if (a === 1 || b) run(a);",
  ]);
  assertEquals(listLines("  await save(a);"), ["  ;"]);
  assertEquals(listLines("  throw new Error(words);"), ["  ;"]);
});

Deno.test("texts, comments, types and imports are left as they are", () => {
  assertEquals(
    listLines(`import { a } from "./1.ts";
// a === 1
/** a && b */
export interface One {
  readonly size: 1;
}
type Two = 2;
const words = "a === 1";
const template = \`a && 1\`;
`),
    [],
  );
});
