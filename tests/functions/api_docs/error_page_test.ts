/** The page that `docs` of an error leads to. */
import { listExplainedCodes } from "../../../functions/api-docs/error_sections.ts";
import { createApiDocsApp } from "../../../functions/api-docs/app.ts";
import { codeAnchor } from "../../../shared/runtime/docs_address.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const log = { info: () => {}, error: () => {} };

Deno.test("api-docs shows the section of every code at its anchor, without scripts, and 304 where it has not changed", async () => {
  const app = await createApiDocsApp({ log });
  const response = await callApp(app, "/api-docs/errors.md");
  assertEquals(response.headers.get("Content-Type"), "text/html; charset=UTF-8");
  assertMatch(response.headers.get("Content-Security-Policy") ?? "", /^default-src 'none'; style/);
  const html = await response.text();
  const missing = listExplainedCodes().filter((code) => !html.includes(`id="${codeAnchor(code)}"`));
  assertEquals(missing, []);
  assert(!html.includes("<script"));
  assert(html.includes("<b>Do:</b> Send one JSON object"));
  const headers = { "If-None-Match": response.headers.get("ETag") ?? "" };
  const again = await callApp(app, "/api-docs/errors.md", { headers });
  assertEquals([again.status, await again.text()], [304, ""]);
});

Deno.test("where the platform shows no HTML the page of errors is Markdown", async () => {
  const app = await createApiDocsApp({ log, hidesHtml: true });
  const response = await callApp(app, "/api-docs/errors.md");
  assertEquals(response.headers.get("Content-Type"), "text/markdown; charset=UTF-8");
  const text = await response.text();
  assert(text.startsWith("# Errors\n\n## Codes of answers\n"));
  assert(
    text.includes("\n### contact_blocked\n\n- **Means:** The contact is blocked (isBlocked)."),
  );
});
