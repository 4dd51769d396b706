/** Each code that the service can answer has a section of docs/errors.md, at the address of `docs`. */

import { listExplainedCodes } from "../../functions/api-docs/error_sections.ts";
import { toolCodes } from "../../functions/mcp/refusal_record.ts";
import { pauseReasons } from "../../shared/model/batch_states.ts";
import { codeAnchor } from "../../shared/runtime/docs_address.ts";
import { disabledReasons } from "../../shared/model/endpoint_states.ts";
import { listErrors } from "../../shared/model/errors.ts";
import { holdReasons } from "../../shared/model/message_status.ts";
import { refusalMeanings } from "../../shared/model/refusal_meaning.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { readText, readTextFiles, type TextFile } from "./repository.ts";

/** Where code writes a code of its own, in TypeScript and in SQL. */
const written: readonly RegExp[] = [
  /\bcode: "([a-z_]+)"/g,
  /\berror: "([a-z_]+)"/g,
  /\bfail\("([a-z_]+)"/g,
  /\bnew MediaFault\("([a-z_]+)"/g,
  /\boutcome: "unknown", reason: "([a-z_]+)"/g,
  /'code', '([a-z_]+)'/g,
  /"code": "([a-z_]+)"/g,
  /\breason := '([a-z_]+)'/g,
];

/** Lists the codes that these files write, each with the file. */
function readWrittenCodes(files: readonly TextFile[]): [code: string, path: string][] {
  return files.flatMap(({ path, text }) =>
    written.flatMap((pattern) =>
      Array.from(text.matchAll(pattern), ([, code = ""]) => [code, path] as [string, string])
    )
  );
}

/** What an issue of zod is called, and is never told. */
const ownWords: ReadonlySet<string> = new Set(["custom"]);

/** The anchors that a page names and those of its headings of one word. */
function readSections(page: string): string[] {
  const headings = Array.from(page.matchAll(/^### (\S+)$/gm), ([, code = ""]) => code);
  const named = Array.from(page.matchAll(/^<a id="([^"]+)"><\/a>$/gm), ([, id = ""]) => id);
  return [...headings, ...named];
}

Deno.test("docs/errors.md has a section for each code, once, at the anchor that an error's body names", async () => {
  const sections = readSections(await readText("docs/errors.md"));
  const codes = listExplainedCodes();
  assertEquals(codes.filter((code, index) => codes.indexOf(code) !== index), [], "twice");
  assertEquals(codes.filter((code) => !sections.includes(codeAnchor(code))), []);
  const lists = [
    ...listErrors().map(({ code }) => code),
    ...[...holdReasons, ...pauseReasons, ...refusalMeanings, ...disabledReasons, ...toolCodes],
  ];
  assertEquals(lists.filter((code) => !codes.includes(code)), []);
});

Deno.test("each code that TypeScript or SQL writes has a section", async () => {
  const files = (await readTextFiles("functions", "shared", "supabase/host", "supabase/schemas"))
    .filter(({ path }) => /(?<![/_]docs)\.(?:ts|sql)$/.test(path));
  const found = readWrittenCodes(files).filter(([code]) => !ownWords.has(code));
  assert(found.length > 60, `${found.length} codes were found`);
  const codes = new Set(listExplainedCodes());
  assertEquals(found.filter(([code]) => !codes.has(code)), []);
});

Deno.test("a code without a section is found in each of its forms", () => {
  const forms = [
    'code: "gone_mad",',
    '{ error: "gone_mad" }',
    'fail("gone_mad", "…")',
    'new MediaFault("gone_mad")',
    'return { outcome: "unknown", reason: "gone_mad" };',
    "jsonb_build_object('code', 'gone_mad')",
    `'{"code": "gone_mad"}'`,
    "reason := 'gone_mad';",
  ];
  for (const text of forms) {
    assertEquals(readWrittenCodes([{ path: "a.ts", text }]), [["gone_mad", "a.ts"]], text);
  }
  assertEquals(readSections('### a_b\n\n### two words\n\n<a id="Two-words"></a>\n'), [
    ...["a_b", "Two-words"],
  ]);
});
