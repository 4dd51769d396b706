/** The console shows an instance's events, and what webhook endpoints are sent, as they come. */
import type { Page } from "playwright-core";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { openTab, type TestConsole, testConsole } from "../support/browser/console.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { waitUntil } from "../support/wait_until.ts";

const text = { instanceId: "demo", phone: "5511944443333", messageType: "text" };

testConsole("the console's events and webhooks", async (world, test) => {
  await test.step(
    "the console shows each event as it comes, and those before it was opened",
    () => showEvents(world),
  );
  await test.step(
    "an endpoint is pointed at the console's receiver, fails, is disabled and comes back",
    () => pointEndpoint(world),
  );
});

async function showEvents({ stack, demo, open }: TestConsole): Promise<void> {
  const before = await stack.call(demo, "send-message", { ...text, message: "Antes" });
  assertEquals(before.status, 200);
  await using browser = await open();
  const { page } = browser;
  const events = page.getByRole("region", { name: "Events" });
  await openTab(page, "Events");
  await events.getByText("+55 11 94444-3333 · Antes").first().waitFor();

  await stack.call(demo, "send-message", { ...text, message: "Depois" });
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
}

async function pointEndpoint({ stack, database, demo, open }: TestConsole): Promise<void> {
  const send = async (message: string): Promise<void> => {
    const { status } = await stack.call(demo, "send-message", { ...text, message });
    assertEquals(status, 200);
  };
  await using browser = await open();
  const { page } = browser;
  const webhooks = page.getByRole("region", { name: "Webhooks" });
  const deliveries = webhooks.getByRole("list", { name: "Deliveries" }).locator("li");
  const receiver = page.getByRole("region", { name: "Webhook receiver" });
  const calls = receiver.getByRole("list", { name: "Received calls" }).locator("li");
  const point = receiver.getByRole("button", { name: "Point an endpoint here" });
  /** Acts on the page until the receiver knows it, which the page shows before. */
  const tellReceiver = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    const told = page.waitForResponse((response) =>
      response.url().endsWith(`/simulator/receiver-${what}`) &&
      response.request().method() === "POST"
    );
    await act();
    assertEquals((await told).ok(), true);
  };
  const pointHere = (): Promise<void> => tellReceiver("secrets", () => point.click());
  const setAnswer = (status: number): Promise<void> =>
    tellReceiver(
      "answer",
      () => receiver.getByLabel("It answers").selectOption(String(status)),
    );

  await openTab(page, "Webhooks");
  await webhooks.getByText("No webhook endpoint yet.").waitFor();
  await pointHere();
  await webhooks.getByText("Active.", { exact: true }).waitFor();
  await send("Olá");
  const events = page.locator("#events li");
  await events.filter({ hasText: "message.sent" }).filter({ hasText: "Olá" })
    .waitFor({ state: "attached" });
  await deliveries.filter({ hasText: "message.sent" }).filter({ hasText: "1 attempt: 204" })
    .waitFor();
  const sent = calls.filter({ hasText: "message.sent" }).filter({ hasText: "Olá" });
  await sent.getByText("verified", { exact: true }).waitFor();
  assertEquals(await receiver.getByText(/wrong signature|no secret|too old/).count(), 0);

  await setAnswer(500);
  await send("De novo");
  // The second attempt follows in 5 seconds, maybe before the page has shown the first.
  await deliveries.filter({ hasText: "waits" })
    .filter({ hasText: /1 attempt: 500|\d+ attempts, the last: 500/ })
    .filter({ hasText: /next (in|due)/ }).first().waitFor();
  await setAnswer(204);
  const arrived = deliveries.filter({ hasText: /\d+ attempts, the last: 204/ });
  await waitUntil(async () => {
    if (await arrived.count() > 0) return true;
    // The pauses between further attempts are minutes.
    await letTimePass(database.admin, 600);
    return false;
  }, { intervalMs: 2_000, what: "a repeated delivery" });

  await setAnswer(410);
  await send("Adeus");
  await webhooks.getByText("Disabled: gone.").waitFor();
  await events.filter({ hasText: "endpoint.disabled" }).waitFor({ state: "attached" });
  await setAnswer(204);
  // Another secret for the same endpoint, which is active again.
  await pointHere();
  await webhooks.getByText("Active.", { exact: true }).waitFor();
  assertEquals(await webhooks.getByLabel("Endpoint").locator("option").allInnerTexts(), [
    `${stack.origin}/simulator/webhook-receiver`,
  ]);
  await webhooks.getByRole("button", { name: "Send a test event" }).click();
  await calls.filter({ hasText: "endpoint.test" }).getByText("verified", { exact: true })
    .waitFor();
  assertEquals(browser.faults, []);
}

/** The sequences of the panel, from the top. */
async function readSequences(page: Page): Promise<number[]> {
  const shown = await page.locator("#events .position").allInnerTexts();
  return shown.map((words) => Number(words.replace("#", "")));
}
