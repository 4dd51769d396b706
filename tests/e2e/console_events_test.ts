/** The console shows an instance's events, and what webhook endpoints are sent, as they come. */
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

Deno.test({
  name:
    `an endpoint is pointed at the console's receiver, fails, is disabled and comes back${missing}`,
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
    const send = async (message: string): Promise<void> => {
      const { status } = await stack.call(tenant, "send-message", { ...text, message });
      assertEquals(status, 200);
    };
    await using browser = await openPage(browserPath ?? "", { width: 360, height: 780 });
    const { page } = browser;
    await page.goto(stack.origin);
    const webhooks = page.getByRole("region", { name: "Webhooks" });
    const deliveries = webhooks.getByRole("list", { name: "Deliveries" }).locator("li");
    const receiver = page.getByRole("region", { name: "Webhook receiver" });
    const calls = receiver.getByRole("list", { name: "Received calls" }).locator("li");
    const point = receiver.getByRole("button", { name: "Point an endpoint here" });
    const answer = receiver.getByLabel("It answers");

    await webhooks.getByText("No webhook endpoint yet.").waitFor();
    await point.click();
    await webhooks.getByText("Active.", { exact: true }).waitFor();
    await send("Olá");
    const events = page.getByRole("region", { name: "Events" }).locator("li");
    await events.filter({ hasText: "message.sent" }).filter({ hasText: "Olá" }).waitFor();
    await deliveries.filter({ hasText: "message.sent" }).filter({ hasText: "1 attempt: 204" })
      .waitFor();
    const sent = calls.filter({ hasText: "message.sent" }).filter({ hasText: "Olá" });
    await sent.getByText("verified", { exact: true }).waitFor();
    assertEquals(await receiver.getByText(/wrong signature|no secret|too old/).count(), 0);

    await answer.selectOption("500");
    await send("De novo");
    await deliveries.filter({ hasText: "waits" }).filter({ hasText: "1 attempt: 500" })
      .filter({ hasText: /next (in|due)/ }).first().waitFor();
    await answer.selectOption("204");
    await deliveries.filter({ hasText: "2 attempts, the last: 204" }).first().waitFor();

    await answer.selectOption("410");
    await send("Adeus");
    await webhooks.getByText("Disabled: gone.").waitFor();
    await events.filter({ hasText: "endpoint.disabled" }).waitFor();
    await answer.selectOption("204");
    // Another secret for the same endpoint, which is active again.
    await point.click();
    await webhooks.getByText("Active.", { exact: true }).waitFor();
    assertEquals(await webhooks.getByLabel("Endpoint").locator("option").allInnerTexts(), [
      `${stack.origin}/simulator/webhook-receiver`,
    ]);
    await webhooks.getByRole("button", { name: "Send a test event" }).click();
    await calls.filter({ hasText: "endpoint.test" }).getByText("verified", { exact: true })
      .waitFor();
    assertEquals(browser.faults, []);
  },
});

/** The sequences of the panel, from the top. */
async function readSequences(page: Page): Promise<number[]> {
  const shown = await page.locator("#events .position").allInnerTexts();
  return shown.map((words) => Number(words.replace("#", "")));
}
