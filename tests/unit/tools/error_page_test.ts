import { listErrors } from "../../../shared/model/errors.ts";
import { writeErrorPage } from "../../../supabase/tools/openapi/error_page.ts";
import { assert, assertEquals, assertThrows } from "../../support/assert.ts";

const page = "# Errors\n\n| Status | `error` |\n| --- | --- |\n| 400 | `gone` |\n\nText after.\n";

Deno.test("the table of error codes is written from the code, and the text around it stays", () => {
  const written = writeErrorPage(page);
  assert(written.startsWith("# Errors\n\n| Status | `error` "));
  assert(written.endsWith("|\n\nText after.\n"));
  assert(!written.includes("gone"));
  for (const { code, status } of listErrors()) {
    const row = written.split("\n").find((line) => line.startsWith(`| ${status} `)) ?? "";
    assert(row.includes(`\`${code}\``), code);
  }
  assertEquals(writeErrorPage(written), written);
});

Deno.test("a page without the table is an error, not left as it is", () => {
  assertThrows(() => writeErrorPage("# Errors\n"), Error, "no table");
});
