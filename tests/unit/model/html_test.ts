import { escapeHtml } from "../../../shared/model/html.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("text means nothing but itself in HTML, in attributes of either quote too", () => {
  assertEquals(
    escapeHtml(`<a href="x" title='y'>&amp;</a>`),
    "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;",
  );
  assertEquals(escapeHtml(""), "");
  assertEquals(escapeHtml("Olá, João 😀"), "Olá, João 😀");
});
