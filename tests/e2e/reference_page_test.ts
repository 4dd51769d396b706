import type { Page } from "playwright-core";
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
    const contents = page.getByRole("complementary");
    await contents.getByText("Send, queue or schedule").first().click();
    await page.locator("#sendMessage").getByText("X-Client-Token: YOUR_SECRET_TOKEN").first()
      .waitFor();
    assertEquals(await page.evaluate(readPageColor), "rgb(15, 21, 19)", "dark, as the browser is");
    await searchReference(page);
    assertEquals(foreign, [], "the text needs nothing of elsewhere");

    await page.getByRole("button", { name: "Try calls" }).click();
    await page.locator("#plain").waitFor({ state: "detached" });
    assertEquals(await page.evaluate("document.body.classList.contains('dark-mode')"), true);
    const sidebar = page.getByRole("complementary");
    await sidebar.getByText("Messages", { exact: true }).first().click();
    await sidebar.getByText("Send, queue or schedule").first().click();
    const reference = page.locator("#reference");
    await reference.getByText("Send, queue or schedule a message").last().waitFor();
    await reference.getByText("X-Client-Token: YOUR_SECRET_TOKEN").first().waitFor();
    assertEquals(foreign, [`${defaultViewerUrl}/${viewerScript.name}`]);
    assertEquals(browser.faults, []);
    await host.shutdown();
  },
});

const readPageColor = "getComputedStyle(document.body).backgroundColor";

/** What people look for, by their words, and what they find first. */
const sought = [
  ["list with sections", "A list with sections"],
  ["lists with section", "A list with sections"],
  ["location", "A location"],
  ["voice", "A voice message"],
  ["button", "Two buttons"],
  ["link button", "A button with a link"],
  ["reminder", "A reminder"],
  ["schedule", "Send, queue or schedule a message"],
  ["how do I schedule a message", "Send, queue or schedule a message"],
  ["sticker", "A sticker"],
  ["pdf", "A document"],
  ["vcard", "A contact card"],
  ["emoji", "A reaction"],
  ["outsideWindow", "Outside the window"],
  ["erase a person", "Erase a person"],
  ["campaign broadcast", "Create a batch"],
  ["price", "Sum up messages and their cost"],
  ["why does it not leave", "Check whether messages are being sent"],
  ["lembrete", "Send, queue or schedule a message"],
  ["message.delivered", "message.delivered"],
] as const;

async function searchReference(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox", { name: "Search the reference" });
  for (const [words, first] of sought) {
    await search.fill(words);
    const option = page.getByRole("option").first();
    const found = await option.innerText({ timeout: 60_000 });
    assert(found.startsWith(first), `${words}: ${found}`);
  }
  await search.fill("qwertzuiop");
  await page.getByText("Nothing found.").waitFor();
  await search.fill("voice");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  const example = page.locator('[id="sendMessage.voice"]');
  await example.getByText('"messageType": "voice"').waitFor();
  assertEquals(await page.evaluate("document.activeElement.id"), "sendMessage.voice");
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assertEquals(await search.inputValue(), "");
}
