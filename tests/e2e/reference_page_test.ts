import { defaultViewerUrl, viewerScript } from "../../functions/api-docs/viewer.ts";
import { Buffer } from "node:buffer";
import { readViewerScript } from "../../supabase/local/api_docs_viewer.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { findBrowser, openPage } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

Deno.test("the local stack serves the reference page and everything that it loads", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    dataDir: folder.path,
    databaseUrl: database.url,
    usesDataApi: false,
  });
  const read = async (path: string): Promise<string> => {
    const response = await fetch(new URL(path, stack.origin));
    assertEquals(response.status, 200, path);
    return await response.text();
  };
  const page = await read("/functions/v1/api-docs");
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "")
    .filter((address) => !address.startsWith("data:"));
  assertEquals(addresses.map((address) => new URL(address, stack.origin).origin), [
    stack.origin,
    stack.origin,
  ]);
  const viewer = addresses.find((address) => address.endsWith(viewerScript.name)) ?? "";
  assert((await read(viewer)).length > 100_000);
  const document = JSON.parse(await read("/functions/v1/api-docs/openapi.json"));
  assertEquals(document.openapi, "3.1.0");
});

Deno.test("a stack with a published page's address answers with the link", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    dataDir: folder.path,
    databaseUrl: database.url,
    environment: { API_REFERENCE_URL: "https://docs.example.com/reference.html" },
  });
  const response = await fetch(`${stack.origin}/functions/v1/api-docs`);
  const { success, referenceUrl, documentUrl } = await response.json();
  assertEquals([success, referenceUrl], [true, "https://docs.example.com/reference.html"]);
  const document = await (await fetch(new URL(documentUrl, stack.origin))).json();
  assertEquals(document.openapi, "3.1.0");
});

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";

Deno.test({
  name:
    `the two files that deno task openapi writes are a reference with search, code samples and a dark mode on any static host${missing}`,
  ignore: browserPath === null,
  async fn(): Promise<void> {
    const folder = new URL("../../functions/api-docs/", import.meta.url);
    const types: Record<string, string> = {
      "reference.html": "text/html",
      "openapi.json": "application/json",
    };
    const host = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const name = new URL(request.url).pathname.replace("/docs/", "");
        const type = types[name];
        if (type === undefined) return new Response(null, { status: 404 });
        const body = await Deno.readFile(new URL(name, folder));
        return new Response(body, { headers: { "Content-Type": type } });
      },
    );
    await using browser = await openPage(browserPath ?? "", { width: 1200, height: 800 });
    const { page } = browser;
    const foreign: string[] = [];
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith("http") && hostname !== "127.0.0.1") foreign.push(request.url());
    });
    // The public copy of the viewer, without the network: the same bytes, held to the same hash.
    await page.route("https://cdn.jsdelivr.net/**", async (route) => {
      await route.fulfill({
        body: Buffer.from(await readViewerScript()),
        contentType: "text/javascript",
        headers: { "Access-Control-Allow-Origin": "*" },
      });
    });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`http://127.0.0.1:${host.addr.port}/docs/reference.html`);
    await page.locator("#plain").waitFor({ state: "detached" });
    assertEquals(await page.evaluate("document.body.classList.contains('dark-mode')"), true);

    const sidebar = page.getByRole("complementary");
    await sidebar.getByText("Messages", { exact: true }).first().click();
    await sidebar.getByText("Send, queue or schedule").first().click();
    const reference = page.locator("#reference");
    await reference.getByText("Send, queue or schedule a message").last().waitFor();
    await reference.getByText("X-Client-Token: YOUR_SECRET_TOKEN").first().waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("erase a person");
    await page.getByRole("option").filter({ hasText: "Erase a person" }).first().waitFor();
    assertEquals(foreign, [`${defaultViewerUrl}/${viewerScript.name}`]);
    assertEquals(browser.faults, []);
    await host.shutdown();
  },
});
