/** The console shows what messages, batches and a month cost, and whose window is open until when. */
import type { Page } from "playwright-core";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { openTab, type TestConsole, testConsole } from "../support/browser/console.ts";
import {
  officialNumber,
  postToSimulator,
  registerOfficialWebhook,
  writeToOfficialNumber,
} from "../support/fixtures/official_customer.ts";
import { secretKey, type StackInstance } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const customer = "5511955551111";
const neighbour = "5511955552222";
/** Of a service message, in USD: a third of a cent that no float holds exactly. */
const rate = "0.0033";
/** In the units of the drawing. */
const plotHeight = 64;

testConsole("the console's costs", async (world, test) => {
  const tenant = await createTenant(world);
  await test.step("a message shows its price, and a contact its window and its free entry point", () =>
    showPrice(world, tenant));
  await test.step("a price that is known before its message is shown at it", () =>
    showEarlyPrice(world, tenant));
  await test.step("a draft shows what it would cost, is started, and shows what it has cost", () =>
    showBatch(world, tenant));
  await test.step("a month is a column a day, in the categories' colors, with its sum", () =>
    showMonth(world, tenant));
  await test.step("a month with a budget has its line, and what is spent of it in words", () =>
    showBudget(world, tenant));
  await test.step("a gateway's month is its delivered messages, without a price", () =>
    showGateway(world));
});

/** An official instance whose service messages cost, with two customers who have written, one by an ad. */
async function createTenant({ stack, timeZone }: TestConsole): Promise<StackInstance> {
  const { workspaceId } = await stack.administer("workspaces", { name: "Oficial" });
  const tenant = await stack.createInstance({
    workspaceId,
    provider: "whatsapp_cloud",
    providerConfig: { ...officialNumber, baseUrl: `${stack.origin}/simulator/graph` },
    freeServiceMessagesPerMonth: 0,
    timeZone,
  });
  const imported = await fetch(`${stack.origin}/functions/v1/admin-api/rates`, {
    method: "PUT",
    headers: { apikey: secretKey, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ workspaceId, currency: "USD" },
      markets: [{ name: "Brazil", callingCodes: ["55"] }],
      rates: [
        { market: "Brazil", category: "service", amount: rate, effectiveFrom: "2026-01-01" },
      ],
    }),
  });
  assertEquals(imported.status, 201, await imported.text());
  await registerOfficialWebhook(stack, tenant);
  await postToSimulator(stack, "replies", {
    ...{ provider: "whatsapp_cloud", instance: officialNumber.phoneNumberId, waId: customer },
    content: { messageType: "text", text: "Vi o anúncio" },
    parts: { referral: { sourceType: "ad", sourceId: "7", headline: "Promo" } },
  });
  await writeToOfficialNumber(stack, neighbour);
  await waitUntil(async () => {
    const path = `contacts-api/contacts?instanceId=${tenant.instanceId}`;
    return (await stack.call(tenant, path)).body.items.length === 2;
  }, { what: "both customers' messages" });
  return tenant;
}

async function showInstance(page: Page, { instanceId, token }: StackInstance): Promise<void> {
  await openTab(page, "Queue");
  await page.getByText("Instance and token", { exact: true }).click();
  await page.getByLabel("Instance id").fill(instanceId);
  await page.getByLabel("Client token").fill(token);
  await page.getByRole("button", { name: "Show this queue" }).click();
}

async function showPrice({ stack, open }: TestConsole, tenant: StackInstance): Promise<void> {
  await stack.call(tenant, "contacts-api/create", {
    ...{ instanceId: tenant.instanceId, phone: customer, name: "Ana" },
  });
  for (const [phone, message] of [[customer, "Olá"], [neighbour, "Bom dia"]]) {
    const sent = await stack.call(tenant, "send-message", {
      ...{ instanceId: tenant.instanceId, phone, messageType: "text", message },
    });
    assertEquals(sent.body.status, "sent", JSON.stringify(sent.body));
  }
  await using browser = await open();
  const { page } = browser;
  await showInstance(page, tenant);
  await page.locator("#phone-list").getByText("+55 11 95555-1111").first().click();
  const bubble = page.locator("#bubbles .bubble").filter({ hasText: "Olá" });
  await bubble.getByText("USD 0.00 · service · free of charge").waitFor();

  await openTab(page, "People");
  const person = page.locator("#contact-rows li").filter({ hasText: "Ana" });
  assertMatch(await person.getByText("open until").innerText(), /\d{1,2}:\d{2}/);
  assertMatch(await person.getByText("free until").innerText(), /\d{1,2}:\d{2}/);
  await page.locator("#phone-list").getByText("+55 11 95555-2222").first().click();
  await page.locator("#bubbles .bubble").filter({ hasText: "Bom dia" })
    .getByText(`USD ${rate} · service`, { exact: true }).waitFor();
  await page.locator("#contact-rows").getByText("+55 11 95555-2222").waitFor();
  const others = page.locator("#contact-rows li").first();
  await others.getByText("open until").waitFor();
  assertEquals(await others.getByText("free until").count(), 0);

  await openTab(page, "Events");
  const delivered = page.locator("#events li").filter({ hasText: "message.delivered" });
  await delivered.getByText(`USD ${rate} · service`).first().waitFor();
  assertEquals(browser.faults, []);
}

async function showEarlyPrice({ open }: TestConsole, tenant: StackInstance): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  const told = Promise.withResolvers<void>();
  await page.route(/\/simulator\/messages\?/, async (route) => {
    await told.promise;
    await route.continue();
  });
  await page.reload();
  await showInstance(page, tenant);
  await page.locator("#events li", { hasText: `USD ${rate} · service` }).first()
    .waitFor({ state: "attached" });
  told.resolve();
  await page.locator("#phone-list").getByText("+55 11 95555-2222").first().click();
  await page.locator("#bubbles .bubble").filter({ hasText: "Bom dia" })
    .getByText(`USD ${rate} · service`, { exact: true }).waitFor();
  assertEquals(browser.faults, []);
}

async function showBatch({ stack, open }: TestConsole, tenant: StackInstance): Promise<void> {
  const { instanceId } = tenant;
  const created = await stack.call(tenant, "batches-api/batches", {
    ...{ instanceId, name: "Avisos", intervalSeconds: 10 },
    message: { messageType: "text", message: "Saiu" },
    recipients: [{ phone: customer }, { phone: neighbour }],
  });
  assertEquals(created.status, 201, JSON.stringify(created.body));
  await using browser = await open();
  const { page } = browser;
  await showInstance(page, tenant);
  await openTab(page, "Batches");
  const batch = page.getByRole("region", { name: "Batches" }).locator("li");
  // Nothing is billed for the customer who came by an ad.
  await batch.getByText("would cost USD 0.0033").waitFor();
  await batch.getByText("draft", { exact: true }).waitFor();
  await batch.getByRole("button", { name: "Start Avisos" }).click();
  await batch.getByText("finished", { exact: true }).waitFor();
  await batch.getByText("has cost USD 0.0033").waitFor();
  assertEquals(await batch.count(), 1, "the draft and the batch are one row");
  assertEquals(browser.faults, []);
}

async function showMonth({ open }: TestConsole, tenant: StackInstance): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  await showInstance(page, tenant);
  await openTab(page, "Costs");
  const costs = page.getByRole("region", { name: "Costs" });
  await costs.locator("#costs-count").getByText("USD 0.0066").waitFor();
  const plot = costs.getByRole("img", { name: "4 delivered · 2 of them free · USD 0.0066" });
  await plot.waitFor();
  assertEquals(await plot.locator("rect").count() > 0, true);
  const legend = costs.getByRole("list", { name: "Categories" }).locator("li");
  assertEquals((await legend.allInnerTexts()).map((line) => line.replace(/\s+/g, " ")), [
    "service USD 0.0066",
  ]);
  await costs.getByText("The days as a table").click();
  const rows = await costs.getByRole("row").allInnerTexts();
  assert(rows.length >= 2 && rows.at(-1)?.includes("service"), rows.join("\n"));
  assertEquals(
    await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    0,
    "the page does not scroll sideways",
  );
  await costs.getByLabel("Month").selectOption({ index: 1 });
  await costs.getByText("No message in this month.").first().waitFor();
  assertEquals(await plot.count(), 0);
  assertEquals(browser.faults, []);
}

async function showBudget({ stack, open }: TestConsole, tenant: StackInstance): Promise<void> {
  const set = await fetch(
    `${stack.origin}/functions/v1/admin-api/instances/${tenant.instanceId}`,
    {
      method: "PATCH",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify({ budget: { monthlyAmount: "0.2", stops: ["batches"] } }),
    },
  );
  assertEquals(set.status, 200, await set.text());
  await using browser = await open();
  const { page } = browser;
  await showInstance(page, tenant);
  await openTab(page, "Costs");
  const costs = page.getByRole("region", { name: "Costs" });
  await costs.getByText("Budget: USD 0.0066 of USD 0.20 spent, USD 0.00 under way.").waitFor();
  await costs.getByText("the budget, spread over the days").waitFor();
  const line = await costs.locator("svg .now").evaluate(readBox);
  // A day of it is 0.0064 to 0.0072, about what was spent: on one day, or on two around midnight in UTC.
  const columns = await Promise.all(
    (await costs.locator("svg .slots").all()).map((column) => column.evaluate(readBox)),
  );
  const spent = columns.reduce((total, { height }) => total + height, 0);
  assert(
    Math.abs(plotHeight - line.y - spent) < 5 && line.width > 20 * (columns[0]?.width ?? 0),
    `${line.y} ${spent}`,
  );
  await costs.getByLabel("Month").selectOption({ index: 1 });
  await costs.getByText("Budget:").waitFor({ state: "hidden" });
  assertEquals(browser.faults, []);
}

// deno-lint-ignore no-explicit-any -- runs in the browser, where it is an SVG element
const readBox = (shape: any): { y: number; width: number; height: number } => {
  const { y, width, height } = shape.getBBox();
  return { y, width, height };
};

async function showGateway({ stack, demo, open }: TestConsole): Promise<void> {
  const text = { instanceId: demo.instanceId, phone: customer, messageType: "text" };
  await stack.call(demo, "send-message", { ...text, message: "Pelo gateway" });
  await using browser = await open();
  const { page } = browser;
  await openTab(page, "Costs");
  const costs = page.getByRole("region", { name: "Costs" });
  await costs.getByText("The columns are delivered messages: none has a price.").first().waitFor();
  await waitUntil(async () => await costs.locator("svg rect").count() > 0, { what: "a column" });
  assertEquals(await costs.locator("#costs-count").innerText(), "–");
  assertEquals(browser.faults, []);
}
