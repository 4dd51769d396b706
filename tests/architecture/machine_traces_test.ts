import { assertEquals } from "../support/assert.ts";
import { readTextFiles } from "./repository.ts";
import type { TextFile } from "./repository.ts";
import { parseSourceFile, resolveRelative } from "./source_file.ts";

const product = [
  ...["functions", "shared", "supabase", "migrations", "packages", "docs", ".ci", ".github"],
  ...["deno.json", "import_map.json", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...["SECURITY.md", "LICENSE", ".editorconfig"],
];

/** Traces of one machine; a clone of the repository has none of these. */
const traces: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a folder of one machine", /(?<![\w.:/}$-])\/(?:home|Users|work|root)\/[\w.-]+|[A-Z]:\\Users\\/],
  ["a tool that wrote it", /\b(?:claude(?! mcp add\b)|anthropic|copilot|sub-?agents?)\b/i],
  ["a page it lacks", /\b(?:decisions|toolchain|wire-facts|measurements|brief)\.md\b/],
];

function findTraces(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    traces.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${path} names ${what}`)
  );
}

/** Finds mentions of a `../shared/` outside the repository. Imports are checked elsewhere. */
function findStrayReferences(files: readonly TextFile[], known: ReadonlySet<string>): string[] {
  return files.flatMap((file) => {
    const references = withoutImports(file).match(/(?:\.\.\/)+shared\/[\w./-]*/g) ?? [];
    return references.filter((reference) => {
      const target = resolveRelative(file.path, reference)?.replace(/\.$/, "") ?? "";
      return ![...known].some((path) => path === target || path.startsWith(`${target}/`));
    }).map((reference) => `${file.path} names ${reference}`);
  });
}

function withoutImports({ path, text }: TextFile): string {
  if (!path.endsWith(".ts")) return text;
  return parseSourceFile(path, text).imports.reduce(
    (rest, { specifier }) => rest.replaceAll(`"${specifier}"`, '""'),
    text,
  );
}

Deno.test("no file names a folder of one machine or who wrote it", async () => {
  const files = await readTextFiles(...product, "tests");
  const others = files.filter(({ path }) => !path.startsWith("tests/architecture/"));
  assertEquals(findTraces(others), []);
});

Deno.test("a trace of a machine or a writer is found", () => {
  const offending = [
    ...["see /home/ana/api/notes.md", "cd /work/main", '"/Users/ana"', "`/root/api`"],
    ...["C:\\Users\\ana", "as Claude said", "a sub-agent wrote this", "see decisions.md"],
  ];
  for (const text of offending) {
    assertEquals(findTraces([{ path: "shared/a.ts", text }]).length, 1, text);
  }
  const fine = [
    ...["https://example.com/home/ana", "a clone under /root (mode 700)", "${base}/work/1"],
    ...[
      "agent_sessions",
      "session 1 waits for session 2",
      "/c/chat/<instance_phone>",
      "homework/root/x",
    ],
  ];
  for (const text of fine) assertEquals(findTraces([{ path: "shared/a.ts", text }]), [], text);
});

Deno.test("shared names the repository's own folder everywhere", async () => {
  const files = await readTextFiles(...product);
  const known = new Set(files.map(({ path }) => path));
  assertEquals(findStrayReferences(files, known), []);
});

Deno.test("a reference to a shared folder outside the repository is found", () => {
  const known = new Set(["shared/phone.ts", "functions/a/app.ts"]);
  const find = (path: string, text: string): string[] =>
    findStrayReferences([{ path, text }], known);
  assertEquals(find("README.md", "see ../shared/design.md"), [
    "README.md names ../shared/design.md",
  ]);
  assertEquals(find("shared/phone.ts", "// ../shared/design.md").length, 1);
  assertEquals(find("functions/a/app.ts", `const a = "../shared/phone.ts";`).length, 1);
  assertEquals(find("functions/a/app.ts", `import "../../shared/later.ts";`), []);
  assertEquals(find("functions/a/app.ts", "// ../../shared/phone.ts."), []);
  assertEquals(find("supabase/config.toml", "# ../shared/ is uploaded with it"), []);
});
