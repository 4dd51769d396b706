/** The console plots an instance's queue by the day, and shows how far its batches are. */
import type { Page } from "playwright-core";
import { assert, assertEquals } from "../support/assert.ts";
import { openTab, type TestConsole, testConsole } from "../support/browser/console.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import type { LocalStack, StackInstance } from "../support/stack/local_stack.ts";
import { findDay } from "../support/midday_zone.ts";
import { waitUntil } from "../support/wait_until.ts";

const listed = 4;
/** A batch that nobody lets time pass for runs on for long, however busy the machine is. */
const intervalSeconds = 600;

testConsole("the console's batches", async (world, test) => {
  await test.step(
    "the console shows a running batch's progress, and pauses and resumes it",
    () => showProgress(world),
  );
  await test.step(
    "the timeline shows a day's slots in their batches' colors over the send window",
    () => showTimeline(world),
  );
});

async function showProgress({ stack, database, demo, open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  const batches = page.getByRole("region", { name: "Batches" });
  await page.getByText("No slot on this day. The send window is open all day.").waitFor();
  await openTab(page, "Batches");
  await batches.getByText("No batch yet.").waitFor();

  const batchId = await startBatch(stack, demo, "Novidades");
  const progress = batches.getByRole("progressbar", { name: "Progress of Novidades" });
  await progress.waitFor();
  await openTab(page, "Queue");
  const legend = page.getByRole("list", { name: "Colors" });
  await legend.getByText("Novidades").waitFor();
  assert(await page.locator("#timeline-plot .slots.color-1").count() > 0);
  await waitUntil(async () => await readProgress(page) === 1, { what: "the first recipient" });
  await letTimePass(database.admin, intervalSeconds);
  await waitUntil(async () => await readProgress(page) === 2, { what: "progress" });

  await openTab(page, "Batches");
  await batches.getByRole("button", { name: "Pause Novidades" }).click();
  await batches.getByText("paused", { exact: true }).waitFor();
  const path = `batches-api/batches/${batchId}?instanceId=${demo.instanceId}`;
  // What was in flight still leaves.
  await waitUntil(async () => (await stack.call(demo, path)).body.counts.queued === 0, {
    what: "a queue without the paused batch",
  });
  await openTab(page, "Queue");
  await page.getByText("No slot on this day.").waitFor();
  await openTab(page, "Batches");
  await batches.getByRole("button", { name: "Resume Novidades" }).click();
  await batches.getByText("running", { exact: true }).waitFor();
  for (let done = await readProgress(page); done < listed; done++) {
    await letTimePass(database.admin, intervalSeconds);
    await waitUntil(async () => await readProgress(page) > done, { what: "more progress" });
  }
  await batches.getByText("finished", { exact: true }).waitFor();
  await batches.getByText(`${listed} of ${listed}`).waitFor();
  assertEquals(await readProgress(page), listed);
  assertEquals(await batches.getByRole("button").count(), 0, "what has ended has no button");
  await page.reload();
  await batches.getByText("Novidades").waitFor();
  await batches.getByText("finished", { exact: true }).waitFor();
  assertEquals(browser.faults, []);
}

async function showTimeline({ stack, demo, timeZone, open }: TestConsole): Promise<void> {
  const sendWindow = { start: "06:00", end: "18:00", days: [1, 2, 3, 4, 5, 6, 7] };
  // All that is queued waits for the next day.
  const today = findDay(timeZone);
  const { workspaceId } = await stack.administer("workspaces", { name: "Loja" });
  const tenant = await stack.createInstance({
    workspaceId,
    provider: "zapi",
    providerConfig: {
      baseUrl: `${stack.origin}/simulator/zapi`,
      ...{
        gatewayInstanceId: "TIMELINE",
        token: "T",
        webhookSecret: "webhook-secret-of-this-test",
      },
    },
    timeZone,
    sendWindow: { ...sendWindow, holidays: [today] },
  });
  const text = { instanceId: tenant.instanceId, messageType: "text", message: "Olá" };
  for (const phone of ["5511944443331", "5511944443332"]) {
    const single = await stack.call(tenant, "send-message", { ...text, phone, queued: true });
    assertEquals(single.status, 200);
  }
  await startBatch(stack, tenant, "Novidades");
  await startBatch(stack, tenant, "Lembretes");
  await startBatch(stack, demo, "Avisos");

  await using browser = await open();
  const { page } = browser;
  const batches = page.getByRole("region", { name: "Batches" });
  await openTab(page, "Batches");
  await batches.getByText("Avisos").waitFor();
  await openTab(page, "Queue");
  // The form is submitted while the page asks for the former instance.
  const asked = Promise.withResolvers<void>();
  const submitted = Promise.withResolvers<void>();
  const ofFormer = (url: URL): boolean =>
    url.pathname.endsWith("/batches") && url.searchParams.get("instanceId") === demo.instanceId;
  await page.route(ofFormer, async (route) => {
    asked.resolve();
    await submitted.promise;
    await route.continue().catch(() => undefined);
  });
  await asked.promise;
  await page.getByText("Instance and token", { exact: true }).click();
  await page.getByLabel("Instance id").fill(tenant.instanceId);
  await page.getByLabel("Client token").fill(tenant.token);
  await page.getByRole("button", { name: "Show this queue" }).click();
  submitted.resolve();
  const queue = page.getByRole("region", { name: "Queue" });
  await queue.getByText("The send window is closed all day.").waitFor();
  assertEquals(await queue.locator("svg .window").count(), 0);
  await openTab(page, "Batches");
  await batches.getByText("Lembretes").waitFor();
  assertEquals(await batches.getByText("Avisos").count(), 0, "a batch of the former instance");
  await openTab(page, "Queue");
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  await queue.getByLabel("Slots of the day").selectOption(tomorrow);

  const plot = queue.getByRole("img", { name: "The send window is shaded" });
  await plot.waitFor();
  // The recipients of the batches may come one after the other.
  const whole =
    /^Slots: 10, 6:00\sAM to \d:\d{2}\sAM\. The send window is shaded: 6:00\sAM to 6:00\sPM\.$/;
  await waitUntil(async () => whole.test(await plot.getAttribute("aria-label") ?? ""), {
    what: "a plot of all slots",
  });
  const legend = await queue.getByRole("list", { name: "Colors" }).locator("li").allInnerTexts();
  assertEquals(
    legend.map((line) => line.replace(/\s+/g, " ").trim()).sort(),
    [`Lembretes ${listed}`, `Novidades ${listed}`, "single messages 2"],
  );
  assertEquals(
    await page.evaluate(`(() => {
      const box = (name) => document.querySelector("#timeline-plot " + name).getBBox();
      const window = box(".window");
      const slots = [...document.querySelectorAll("#timeline-plot .slots")];
      const colors = new Set(slots.map((slot) => getComputedStyle(slot).fill));
      return [window.x / 4, (window.x + window.width) / 4, colors.size,
        slots.every((slot) => slot.getBBox().x >= window.x)];
    })()`),
    [6, 18, 3, true],
    "the window from 6 to 18, a color for each batch and one for single messages, slots inside",
  );
  await waitUntil(async () => ((await plot.boundingBox())?.width ?? 0) > 250, {
    what: "a plot of the width of a phone",
  });
  assertEquals(
    await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    0,
    "the page does not scroll sideways",
  );
  assertEquals(browser.faults, []);
}

/** @returns the id of a batch that runs */
async function startBatch(
  stack: LocalStack,
  tenant: StackInstance,
  name: string,
): Promise<string> {
  const { instanceId } = tenant;
  const created = await stack.call(tenant, "batches-api/batches", {
    ...{ instanceId, name, intervalSeconds },
    message: { messageType: "text", message: "Olá" },
    recipients: Array.from({ length: listed }, (_, index) => ({ phone: `551194444000${index}` })),
  });
  assertEquals(created.status, 201, JSON.stringify(created.body));
  const { batchId } = created.body;
  const started = await stack.call(tenant, `batches-api/batches/${batchId}/start`, { instanceId });
  assertEquals(started.status, 200, JSON.stringify(started.body));
  return batchId;
}

/** The recipients of the only batch that are done, by its bar. */
async function readProgress(page: Page): Promise<number> {
  return Number(await page.locator("#batches progress").getAttribute("value"));
}
