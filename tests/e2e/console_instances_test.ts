/** The console's panels and its chat follow the chosen instance. */
import { assertEquals } from "../support/assert.ts";
import { openTab, type TestConsole, testConsole } from "../support/browser/console.ts";
import {
  officialNumber,
  registerOfficialWebhook,
  writeToOfficialNumber,
} from "../support/fixtures/official_customer.ts";
import type { StackInstance } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const [ofDemo, ofOther] = ["5511944443333", "5511955556666"];
const desk = { width: 1_280, height: 900 };

testConsole("the console's instances", async (world, test) => {
  const other = await createOther(world);
  await test.step("the panels and the chat follow the instance that is chosen at the top", () =>
    chooseInstance(world));
  await test.step("the panels follow the instance of a phone that is chosen", () =>
    choosePhone(world));
  await test.step("an instance that is named in the form is chosen, and the chat follows", () =>
    nameInstance(world, other));
  await test.step("each instance gets one token, however often it is chosen", () =>
    countTokens(world, other));
});

/** An official instance beside the demo's, each with a phone, an event and a waiting message. */
async function createOther(world: TestConsole): Promise<StackInstance> {
  const { stack, demo } = world;
  const { workspaceId } = await stack.administer("workspaces", { name: "Oficial" });
  const other = await stack.createInstance({
    workspaceId,
    name: "Oficial",
    provider: "whatsapp_cloud",
    providerConfig: { ...officialNumber, baseUrl: `${stack.origin}/simulator/graph` },
  });
  await registerOfficialWebhook(stack, other);
  await writeToOfficialNumber(stack, ofOther);
  for (const [tenant, phone, words] of [[other, ofOther, "Oficial"], [demo, ofDemo, "Demo"]]) {
    const { instanceId } = tenant as StackInstance;
    const text = { instanceId, phone, messageType: "text" };
    const now = { ...text, message: `Agora ${words}` };
    const later = { ...text, message: `Depois ${words}`, delayMessage: 86_400 };
    for (const body of [now, later]) {
      const sent = await stack.call(tenant as StackInstance, "send-message", body);
      assertEquals(sent.status, 200, JSON.stringify(sent.body));
    }
  }
  return other;
}

type Page = Awaited<ReturnType<TestConsole["open"]>>["page"];

/** What the panels, the chat and the top show is of this phone. */
async function expectShown(page: Page, phone: string): Promise<void> {
  const [name, shown, words] = phone === ofDemo
    ? ["Demo · Z-API", "+55 11 94444-3333", "Agora Demo"]
    : ["Oficial · WhatsApp Cloud API", "+55 11 95555-6666", "Agora Oficial"];
  await waitUntil(
    async () => await page.locator("#instance-choice option:checked").textContent() === name,
    { what: `${name} at the top` },
  );
  await page.locator("#bubbles").getByText(words, { exact: true }).waitFor();
  await openTab(page, "Queue");
  await page.locator("#queue-rows li").getByText(shown).waitFor();
  assertEquals(await page.locator("#queue-rows li").count(), 1);
  await openTab(page, "Events");
  await page.locator("#events").getByText(words).first().waitFor();
  const foreign = phone === ofDemo ? "Agora Oficial" : "Agora Demo";
  assertEquals(await page.locator("#events").getByText(foreign).count(), 0);
  await openTab(page, "People");
  await page.locator("#contact-rows").getByText(shown).waitFor();
}

async function chooseInstance({ open }: TestConsole): Promise<void> {
  await using browser = await open({ size: desk });
  const { page } = browser;
  await expectShown(page, ofDemo);
  const choice = page.locator("#instance-choice");
  await choice.selectOption({ label: "Oficial · WhatsApp Cloud API" });
  await expectShown(page, ofOther);
  await choice.selectOption({ label: "Demo · Z-API" });
  await expectShown(page, ofDemo);
  assertEquals(browser.faults, []);
}

async function choosePhone({ open }: TestConsole): Promise<void> {
  await using browser = await open({ size: desk });
  const { page } = browser;
  await expectShown(page, ofDemo);
  for (const [shown, phone] of [["95555-6666", ofOther], ["94444-3333", ofDemo]] as const) {
    await page.locator("#phone-list").getByText(shown).click();
    await expectShown(page, phone);
  }
  assertEquals(browser.faults, []);
}

async function nameInstance({ open }: TestConsole, other: StackInstance): Promise<void> {
  await using browser = await open({ size: desk });
  const { page } = browser;
  await expectShown(page, ofDemo);
  await openTab(page, "Queue");
  await page.getByText("Instance and token", { exact: true }).click();
  await page.getByLabel("Instance id").fill(other.instanceId);
  await page.getByLabel("Client token").fill(other.token);
  await page.getByRole("button", { name: "Show this queue" }).click();
  await expectShown(page, ofOther);
  assertEquals(browser.faults, []);
}

async function countTokens({ database }: TestConsole, other: StackInstance): Promise<void> {
  const made = await database.admin`
    select count(*)::integer as count from messaging.client_tokens
    where instance_id = ${other.instanceId} and label = 'Local console'`;
  assertEquals(made[0]?.["count"], 1);
}
