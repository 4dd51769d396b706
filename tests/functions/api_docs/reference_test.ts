import importMap from "../../../import_map.json" with { type: "json" };
import { createApiDocsApp } from "../../../functions/api-docs/app.ts";
import { readReferenceLink } from "../../../functions/api-docs/reference_link.ts";
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
import { assert, assertEquals, assertStringIncludes, assertThrows } from "../../support/assert.ts";
import { callApp } from "../../support/stack/app_calls.ts";

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

Deno.test("GET /api-docs lists every operation before its viewer has loaded, and without it", async () => {
  const app = await createApiDocsApp({ log });
  const response = await callApp(app, "/api-docs");
  const html = await response.text();
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type")?.toLowerCase(), "text/html; charset=utf-8");
  const { paths } = JSON.parse(await Deno.readTextFile(documentFile));
  for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
    for (const method of Object.keys(methods)) {
      assertStringIncludes(html, `<b>${method.toUpperCase()}</b> <code>${path}</code>`);
    }
  }
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
