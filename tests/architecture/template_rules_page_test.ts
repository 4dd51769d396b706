import { templateRules } from "../../shared/templates/submission/validate_template.ts";
import { assertEquals } from "../support/assert.ts";

Deno.test("docs/templates.md lists every rule of templates with Meta's code", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/templates.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d*) *\|/gm)].map(([, id, code]) => [id, code]);
  assertEquals(rows, templateRules.map(({ id, code }) => [id, code === null ? "" : String(code)]));
});
