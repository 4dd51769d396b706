/** Words that the English of this repository does without: a subject and a verb say more. */
import { assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

const checked = [
  ...["functions", "shared", "supabase", "packages", "docs", "tests", ".ci", ".github"],
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
];

/** What stands in its place. */
const riddles: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwho(?:m|se)?(?:so)?ever\b/i, "name the person or the program"],
  [/\b(?:that|which) (?:is|are|was|were) none\b/i, "invalid"],
];

function findRiddles(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) =>
      riddles.filter(([pattern]) => pattern.test(line))
        .map(([, instead]) => `${path}:${index + 1}: ${instead}`)
    )
  );
}

Deno.test("no line says whoever, or that a thing is none", async () => {
  const files = await readTextFiles(...checked);
  assertEquals(findRiddles(files.filter(({ path }) => !path.endsWith("plain_words_test.ts"))), []);
});

Deno.test("a riddle is found", () => {
  const find = (text: string): number => findRiddles([{ path: "docs/a.md", text }]).length;
  for (const text of ["Whoever calls", "whomever", "a key that is none", "ids which are none"]) {
    assertEquals(find(text), 1, text);
  }
  for (const text of ["the caller", "there is none", "none of them", "that is not one"]) {
    assertEquals(find(text), 0, text);
  }
});
