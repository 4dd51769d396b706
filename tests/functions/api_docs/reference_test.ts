import importMap from "../../../import_map.json" with { type: "json" };
import { createApiDocsApp } from "../../../functions/api-docs/app.ts";
import { renderMarkdown } from "../../../functions/api-docs/markdown.ts";
import { readReferenceLink } from "../../../functions/api-docs/reference_link.ts";
import { searchWords } from "../../../functions/api-docs/search_words.ts";
import {
  defaultViewerUrl,
  viewerScript,
  viewerVersion,
} from "../../../functions/api-docs/viewer.ts";
import {
  apiDocsViewerPath,
  readViewerScript,
  serveApiDocsViewer,
} from "../../../supabase/local/api_docs_viewer.ts";
import {
  documentFile,
  staticPageFile,
  writeStaticPage,
} from "../../../supabase/tools/write_openapi.ts";
import { sendableTypes } from "../../../shared/model/message_request.ts";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "../../support/assert.ts";
import { callApp } from "../../support/stack/app_calls.ts";

// deno-lint-ignore no-explicit-any -- whatever the document has
type Json = any;

const log = { info: (): void => {}, error: (): void => {} };

async function hash(algorithm: "SHA-256" | "SHA-384", bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
  const name = algorithm.toLowerCase().replace("-", "");
  return `${name}-${btoa(String.fromCharCode(...digest))}`;
}

Deno.test("GET /api-docs/openapi.json is the committed document, and 304 while it has not changed", async () => {
  const app = await createApiDocsApp({ log });
  const response = await callApp(app, "/api-docs/openapi.json");
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(await response.json(), JSON.parse(await Deno.readTextFile(documentFile)));

  const tag = response.headers.get("etag") ?? "";
  assert(tag !== "");
  const again = await callApp(app, "/api-docs/openapi.json", { headers: { "If-None-Match": tag } });
  assertEquals([again.status, await again.text()], [304, ""]);
  const other = await callApp(app, "/api-docs/openapi.json", {
    headers: { "If-None-Match": '"x"' },
  });
  assertEquals(other.status, 200);
  await other.body?.cancel();
});

Deno.test("GET /api-docs has every operation with its text before any script, and without one", async () => {
  const app = await createApiDocsApp({ log });
  const response = await callApp(app, "/api-docs");
  const html = await response.text();
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type")?.toLowerCase(), "text/html; charset=utf-8");
  const text = html.slice(0, html.indexOf("<script"));
  const { paths } = JSON.parse(await Deno.readTextFile(documentFile));
  for (const [path, methods] of Object.entries<Record<string, Json>>(paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      assertStringIncludes(text, `<b>${method.toUpperCase()}</b> <code>${path}</code>`);
      assertStringIncludes(text, `id="${operationId}"`);
      const examples = requestBody?.content["application/json"]?.examples ?? {};
      for (const name of Object.keys(examples)) {
        assertStringIncludes(text, `id="${operationId}.${name}"`);
      }
    }
  }
});

Deno.test("the page is small, and loads nothing until somebody asks for the viewer", async () => {
  const app = await createApiDocsApp({ log });
  const html = await (await callApp(app, "/api-docs")).text();
  // A third of the document, a tenth of the viewer.
  assert(html.length < 700_000, `${html.length} bytes`);
  const elements = html.slice(0, html.lastIndexOf("<script>"));
  assertEquals(elements.match(/<(?:link|img|iframe)[^>]*(?:href|src)="(?!data:)[^"]*"/g), null);
  assertEquals(elements.match(/<script(?![^>]*type="text\/plain")/g), null);
});

Deno.test("send-message has a table of what each kind requires, an example of each, and outsideWindow explained", async () => {
  const { paths } = JSON.parse(await Deno.readTextFile(documentFile));
  const { description, requestBody } = paths["/functions/v1/send-message"].post;
  const examples = Object.values<Json>(requestBody.content["application/json"].examples);
  const shown = new Set(examples.map(({ value }) => value.messageType));
  for (const type of sendableTypes) {
    assertStringIncludes(description, `| \`${type}\` | `);
    // The demo's channel does not have it: its example stands in the table.
    if (type === "contact_request") assertStringIncludes(description, `"messageType": "${type}"`);
    else assert(shown.has(type), `an example of ${type}`);
  }
  for (const rung of ['`directSend: "utility"`', "`template`", "`invite`"]) {
    assertStringIncludes(description, `| ${rung} | `);
  }
  const html = await Deno.readTextFile(staticPageFile);
  assertStringIncludes(html, "<th>Requires</th>");
  assertStringIncludes(html, "<td><code>location</code></td><td><code>location</code></td>");
});

Deno.test("every search word is of an operation of the document", async () => {
  const { paths } = JSON.parse(await Deno.readTextFile(documentFile));
  const known = Object.values<Record<string, Json>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId)
  );
  assertEquals(Object.keys(searchWords).filter((id) => !known.includes(id)), []);
});

Deno.test("no markup of a description reaches the page, and its tables, lists and code do", () => {
  assertEquals(
    renderMarkdown("A <b>bold</b> `<i>` **word**\n\n- one\n- two\n\n## Head", 4),
    "<p>A &lt;b&gt;bold&lt;/b&gt; <code>&lt;i&gt;</code> <b>word</b></p>\n" +
      "<ul><li>one</li><li>two</li></ul>\n<h4>Head</h4>",
  );
  assertEquals(
    renderMarkdown("| a | b |\n|---|---|\n| `x` | <img> |", 4),
    '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>' +
      "<tr><td><code>x</code></td><td>&lt;img&gt;</td></tr></tbody></table></div>",
  );
  assertStringIncludes(
    renderMarkdown('Text\n\n```json\n{ "a": "</code>" }\n```', 4),
    "<code>{ &quot;a&quot;: &quot;&lt;/code&gt;&quot; }</code></pre>",
  );
  assertEquals(renderMarkdown("[x](javascript:alert)", 4), "<p>[x](javascript:alert)</p>");
});

Deno.test("GET /api-docs runs its own script and the pinned viewer, and lets a browser run nothing else", async () => {
  const app = await createApiDocsApp({ log, viewerUrl: "https://docs.example.com/viewer" });
  const response = await callApp(app, "/api-docs");
  const html = await response.text();
  const scripts = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  assertEquals(scripts.length, 2);
  assertStringIncludes(
    scripts[0]?.[1] ?? "",
    "https://docs.example.com/viewer/standalone.js",
  );
  assertStringIncludes(scripts[0]?.[1] ?? "", `integrity="${viewerScript.integrity}"`);

  const own = await hash("SHA-256", new TextEncoder().encode(scripts[1]?.[2]));
  const policy = response.headers.get("content-security-policy") ?? "";
  assertStringIncludes(policy, "default-src 'none'");
  assertStringIncludes(policy, `script-src https://docs.example.com '${own}';`);
  assertStringIncludes(policy, "connect-src 'self'");
});

Deno.test("where the platform shows no HTML, GET /api-docs answers with a link, and the document stays", async () => {
  const link = readReferenceLink({
    referenceUrl: "https://docs.example.com/reference.html",
    projectUrl: "https://abcdefghijklmnopqrst.supabase.co",
  });
  const app = await createApiDocsApp({ log, link });
  const response = await callApp(app, "/api-docs");
  assertEquals([response.status, response.headers.get("content-type")], [200, "application/json"]);
  const { message, ...rest } = await response.json();
  assertEquals(rest, {
    success: true,
    referenceUrl: "https://docs.example.com/reference.html",
    documentUrl: "https://abcdefghijklmnopqrst.supabase.co/functions/v1/api-docs/openapi.json",
  });
  assertStringIncludes(message, "referenceUrl");
  const document = await callApp(app, "/api-docs/openapi.json");
  assertEquals((await document.json()).openapi, "3.1.0");
});

Deno.test("the place decides between page and link: the platform's default domain, and API_REFERENCE_URL", () => {
  const hosted = "https://abcdefghijklmnopqrst.supabase.co";
  const published = "https://docs.example.com/reference.html";
  const links: readonly (readonly [string | undefined, string | undefined, unknown])[] = [
    [undefined, undefined, undefined],
    ["", "http://127.0.0.1:54321", undefined],
    [undefined, "http://kong:8000", undefined],
    [undefined, hosted, [null, `${hosted}/functions/v1/api-docs/openapi.json`]],
    [published, hosted, [published, `${hosted}/functions/v1/api-docs/openapi.json`]],
    [published, undefined, [published, "/functions/v1/api-docs/openapi.json"]],
    ["https://api.example.com/functions/v1/api-docs/", hosted, undefined],
  ];
  for (const [referenceUrl, projectUrl, expected] of links) {
    const link = readReferenceLink({ referenceUrl, projectUrl });
    assertEquals(link === undefined ? undefined : [link.referenceUrl, link.documentUrl], expected);
  }
  for (const referenceUrl of ["docs.example.com", "javascript:alert(1)", "https://"]) {
    assertThrows(
      () => readReferenceLink({ referenceUrl, projectUrl: hosted }),
      Error,
      "API_REFERENCE_URL must be",
    );
  }
});

Deno.test("the page for a static host is what the contracts say, and asks for the document beside it", async () => {
  const committed = await Deno.readTextFile(staticPageFile);
  const documentText = await Deno.readTextFile(documentFile);
  assertEquals(committed, await writeStaticPage(documentText), "run `deno task openapi`");
  assertStringIncludes(committed, 'fetch("openapi.json")');
  assertStringIncludes(committed, "<code>/functions/v1/send-message</code>");
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(committed)?.[1] ??
    "";
  const script = [...committed.matchAll(/<script>([^]*?)<\/script>/g)][0]?.[1];
  const own = await hash("SHA-256", new TextEncoder().encode(script));
  assertStringIncludes(policy, `script-src https://cdn.jsdelivr.net '${own}'`);
});

Deno.test("a viewer address with markup in it stays an address", async () => {
  const app = await createApiDocsApp({ log, viewerUrl: `https://a.example/"><script>x</script>` });
  const html = await (await callApp(app, "/api-docs")).text();
  assertEquals([...html.matchAll(/<script/g)].length, 2);
});

Deno.test("the pinned viewer is the npm package's, byte for byte, and served from it on this machine", async () => {
  const mapped = importMap.imports["@scalar/fastify-api-reference"];
  assert(mapped.endsWith(`@${viewerVersion}`), "both packages are one release");
  assertStringIncludes(defaultViewerUrl, `/@scalar/api-reference@${viewerVersion}/`);
  const { name: file, integrity } = viewerScript;
  assertEquals(await hash("SHA-384", await readViewerScript()), integrity);
  const served = await serveApiDocsViewer(`${apiDocsViewerPath}/${file}`);
  assertEquals(await hash("SHA-384", await served.arrayBuffer()), integrity);
  for (const name of ["index.html", "../package.json", "%2e%2e/package.json", ""]) {
    const refused = await serveApiDocsViewer(`${apiDocsViewerPath}/${name}`);
    assertEquals(refused.status, 404, name);
    await refused.body?.cancel();
  }
});
