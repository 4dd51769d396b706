import { listErrors } from "../../../shared/model/errors.ts";
import { writeErrorPage } from "../../../supabase/tools/openapi/error_page.ts";
import { assert, assertEquals, assertThrows } from "../../support/assert.ts";

const channelTable =
  "| Code | Says | What we do | Means |\n| --- | --- | --- | --- |\n| 9 | old | | |\n";
const place =
  "<!-- sections: `deno task openapi` writes them -->\n\n### gone\n\n<!-- end of sections -->\n";
const page =
  `# Errors\n\n| Status | \`error\` |\n| --- | --- |\n| 400 | \`gone_code\` |\n\n${channelTable}\n${place}Text after.\n`;

Deno.test("the table of error codes is written from the code, and the text around it stays", () => {
  const written = writeErrorPage(page);
  assert(written.startsWith("# Errors\n\n| Status | `error` "));
  assert(written.endsWith("<!-- end of sections -->\nText after.\n"));
  assert(!written.includes("gone_code"));
  for (const { code, status } of listErrors()) {
    const row = written.split("\n").find((line) => line.startsWith(`| ${status} `)) ?? "";
    assert(row.includes(`\`${code}\``), code);
  }
  assertEquals(writeErrorPage(written), written);
});

Deno.test("the channel's codes are written with what we do, and what they mean", () => {
  const lines = writeErrorPage(page).split("\n");
  const rowOf = (code: string): string[] =>
    lines.find((line) => line.startsWith(`| ${code} `))?.split("|").map((cell) => cell.trim()) ??
      [];
  assertEquals(rowOf("131050"), [
    ...["", "131050", "recipient stopped marketing messages", "fails the message"],
    ...["`contact_opted_out`", ""],
  ]);
  assertEquals(rowOf("131031").slice(3, 5), ["holds the instance's queue", "`account_restricted`"]);
  assertEquals(rowOf("131056").slice(3, 5), ["tries the recipient again", "`too_fast`"]);
  assertEquals(rowOf("131000").slice(3, 5), ["`unconfirmed`", ""]);
  assertEquals(rowOf("200")[1], "200 to 299");
  assertEquals(rowOf("9"), []);
});

Deno.test("the section of a code says what it means, what to do and who can, in lines of 100 characters", () => {
  const lines = writeErrorPage(page).split("\n");
  const start = lines.indexOf("### invalid_client_token");
  const section = lines.slice(start, lines.findIndex((line, at) => at > start && /^#/.test(line)));
  assertEquals(section, [
    "### invalid_client_token",
    "",
    "- **Means:** The token is unknown, expired or revoked.",
    "- **Do:** Issue a new token (`POST admin-api/instances/{id}/tokens`), and put it into the caller's",
    "  configuration.",
    "- **Who can:** The administrator of the service, with the project's secret key.",
    "",
  ]);
  assert(lines.includes('<a id="Instance-not-found"></a>'));
  assertEquals(writeErrorPage(page).match(/^### gone$/gm), ["### gone"], "the former sections go");
});

Deno.test("a page without a table is an error, not left as it is", () => {
  assertThrows(() => writeErrorPage("# Errors\n"), Error, "no table");
  assertThrows(() => writeErrorPage(page.replace(channelTable, "")), Error, "channel's codes");
  assertThrows(() => writeErrorPage(page.replace(place, "")), Error, "no place for the sections");
});
