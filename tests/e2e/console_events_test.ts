/** The console shows an instance's events as they come. */
import type { Page } from "playwright-core";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { findBrowser, openPage } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";
const text = { instanceId: "demo", phone: "5511944443333", messageType: "text" };

Deno.test({
  name: `the console shows each event as it comes, and those before it was opened${missing}`,
  ignore: browserPath === null,
  async fn(): Promise<void> {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    await using stack = await startLocalStack({
      dataDir: folder.path,
      databaseUrl: database.url,
    });
    const demo = await (await fetch(`${stack.origin}/simulator/demo`)).json();
    const tenant = { instanceId: demo.instanceId, token: demo.clientToken };
    const before = await stack.call(tenant, "send-message", { ...text, message: "Antes" });
    assertEquals(before.status, 200);
    await using browser = await openPage(browserPath ?? "", { width: 360, height: 780 });
    const { page } = browser;
    await page.goto(stack.origin);
    const events = page.getByRole("region", { name: "Events" });
    await events.getByText("+55 11 94444-3333 · Antes").first().waitFor();

    await stack.call(tenant, "send-message", { ...text, message: "Depois" });
    const delivered = events.locator("li", { hasText: "message.delivered" })
      .filter({ hasText: "Depois" });
    await delivered.waitFor();
    assertMatch(await delivered.locator("time").innerText(), /^\d{2}:\d{2}/);
    const numbers = await readSequences(page);
    assertEquals(numbers, numbers.toSorted((a, b) => b - a), "newest first");
    await delivered.locator("summary").click();
    await delivered.getByText('"status": "delivered"').waitFor();

    await page.getByRole("button", { name: "Clear the events" }).click();
    await events.getByText("No event yet.").waitFor();
    assertEquals(await readSequences(page), []);
    assertEquals(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
      0,
      "the page does not scroll sideways",
    );
    assertEquals(browser.faults, []);
  },
});

/** The sequences of the panel, from the top. */
async function readSequences(page: Page): Promise<number[]> {
  const shown = await page.locator("#events .position").allInnerTexts();
  return shown.map((words) => Number(words.replace("#", "")));
}
