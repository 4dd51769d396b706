/** The console sends whatever a customer's phone may send, and shows its facts. */
import { assertEquals, assertMatch } from "../support/assert.ts";
import {
  chooseAction,
  openTab,
  type TestConsole,
  testConsole,
} from "../support/browser/console.ts";
import type { BrowserPage } from "../support/browser/browser.ts";

const phone = "5511944443333";

testConsole(
  "the console sends a location, an ad click, a poll and its vote, and a reaction, and shows each with its facts",
  async (world) => {
    const { stack, demo, open } = world;
    const text = { instanceId: "demo", phone, messageType: "text", message: "Olá" };
    assertEquals((await stack.call(demo, "send-message", text)).status, 200);
    await using browser = await open({ size: { width: 1_200, height: 900 } });
    const { page } = browser;
    await page.locator("#bubbles").getByText("Olá").waitFor();
    await page.getByText("Send as the customer").click();
    await sendKinds(page);
    await answerPoll(page);
    await react(page);
    await readEvents(world, page);
    assertEquals(browser.faults, []);
  },
);

type Page = BrowserPage["page"];

async function choose(page: Page, kind: string): Promise<void> {
  await page.locator("#part-kind").selectOption(kind);
  await page.getByRole("button", { name: "Send this kind" }).click();
}

/** The facts of the newest bubble of a kind, by their names in the API. */
async function readFacts(page: Page, kind: string): Promise<string> {
  const part = page.locator(`#bubbles [data-part=${kind}]`).last();
  await part.waitFor();
  return (await part.innerText()).replace(/\s+/g, " ");
}

async function sendKinds(page: Page): Promise<void> {
  await page.locator("#part-form [name=name]:enabled").fill("Loja da Sé");
  await choose(page, "location");
  assertEquals(
    await readFacts(page, "location"),
    "Location latitude -23.5614 longitude -46.6559 name Loja da Sé address Av. Paulista, 1578",
  );
  // What the phone's provider does not tell is not offered.
  const flow = page.locator("#part-kind option[value=flowAnswer]");
  assertEquals([await flow.isDisabled(), await flow.count()], [true, 1]);
  await page.locator("#part-kind").selectOption("referral");
  await page.locator("#part-words").fill("Ainda tem?");
  await choose(page, "referral");
  assertMatch(await readFacts(page, "referral"), /sourceId 120226305854810726 .*headline Café/);
  await page.locator("#bubbles .own .text").getByText("Ainda tem?").waitFor();
}

async function answerPoll(page: Page): Promise<void> {
  await choose(page, "poll");
  await page.locator("#bubbles").getByRole("button", { name: "Terça" }).click();
  assertMatch(await readFacts(page, "pollVote"), /options\.0 Terça/);
}

/** On the bubble of our message. */
async function react(page: Page): Promise<void> {
  const bubble = page.locator("#bubbles .bubble:not(.own)").first();
  await chooseAction(bubble, "React 👍");
  await bubble.locator("[data-reaction-to]").getByText("👍").waitFor();
  await chooseAction(bubble, "Take the reaction back");
  await bubble.locator("[data-reaction-to]:empty").waitFor({ state: "attached" });
}

async function readEvents({ open }: TestConsole, page: Page): Promise<void> {
  await openTab(page, "Events");
  const events = page.locator("#events");
  for (const words of ["[location] Loja da Sé", "[poll vote] Terça", "message.reaction"]) {
    await events.getByText(words).first().waitFor();
  }
  await using portuguese = await open({ locale: "pt-BR" });
  const names = portuguese.page.locator("#bubbles [data-part=location] .strong");
  await names.first().waitFor();
  assertEquals(await names.first().innerText(), "Localização");
  await portuguese.page.getByText("Enviar como o cliente").waitFor();
  assertEquals(
    await portuguese.page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    0,
  );
}
