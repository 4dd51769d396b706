/** Citations of the contract in comments and tests must exist in docs/. */
import { assertEquals } from "../support/assert.ts";
import { listNames, readText, readTextFiles, type TextFile } from "./repository.ts";

interface Contract {
  /** Numbers of the headings: "4", "4.4". */
  readonly specification: ReadonlySet<string>;
  /** Numbers of the pages. */
  readonly decisions: ReadonlySet<string>;
}

function readSections(text: string): Set<string> {
  return new Set(
    Array.from(text.matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm), ([, number]) => number ?? ""),
  );
}

async function readContract(): Promise<Contract> {
  const pages = (await listNames("docs/decisions")).filter((name) => /^\d{4}-/.test(name));
  return {
    specification: readSections(await readText("docs/specification.md")),
    decisions: new Set(pages.map((name) => String(Number(name.slice(0, 4))))),
  };
}

/** Finds citations of missing sections. A citation may span two comment lines. */
function findLostCitations(files: readonly TextFile[], contract: Contract): string[] {
  const patterns: readonly (readonly [RegExp, ReadonlySet<string>])[] = [
    [
      /\bspecification,?\s+(?:\*\s+|--\s+|\/\/\s+)?(?:section\s+)?(\d+(?:\.\d+)?)/gi,
      contract.specification,
    ],
    [
      /\bdecisions?,?\s+(?:\*\s+|--\s+|\/\/\s+)?(?:section\s+)?(\d+(?:\.\d+)?)/gi,
      contract.decisions,
    ],
  ];
  return files.flatMap(({ path, text }) =>
    patterns.flatMap(([pattern, known]) =>
      Array.from(text.matchAll(pattern)).filter(([, number]) => !known.has(number ?? ""))
        .map(([citation]) => `${path} cites ${citation.replace(/\s+/g, " ")}`)
    )
  );
}

Deno.test("every section that a comment or a test cites exists in docs/", async () => {
  const files = await readTextFiles("functions", "shared", "supabase", "tests", "docs");
  const others = files.filter(({ path }) => !path.startsWith("tests/architecture/citations"));
  assertEquals(findLostCitations(others, await readContract()), []);
});

Deno.test("the contract has its nine sections, and a page of decisions for each subject", async () => {
  const { specification, decisions } = await readContract();
  const sections = [...specification].filter((number) => !number.includes("."));
  assertEquals(sections, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  assertEquals([...decisions].sort(), sections);
});

Deno.test("a citation without its section is found", () => {
  const contract = { specification: new Set(["4", "4.4"]), decisions: new Set(["5"]) };
  const find = (text: string): number =>
    findLostCitations([{ path: "a.ts", text }], contract).length;
  assertEquals(find("(specification 4.4, decisions, section 5)"), 0);
  assertEquals(find("specification, section 4; decisions,\n * section 5"), 0);
  assertEquals(find("specification 4.8"), 1);
  assertEquals(find("decisions, section 6"), 1);
});
