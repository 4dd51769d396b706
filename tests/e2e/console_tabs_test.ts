/** The console's side is one panel at a time, and says what is wrong and what happens in words. */
import { assert, assertEquals } from "../support/assert.ts";
import { consoleTabs, openTab, type TestConsole, testConsole } from "../support/browser/console.ts";
import { officialNumber, registerOfficialWebhook } from "../support/fixtures/official_customer.ts";
import { secretKey } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const desk = { width: 1400, height: 900 };
const ofDemo = { instanceId: "demo", phone: "5511944443333" };

testConsole("the console's side", async (world, test) => {
  await test.step("no tab makes the page of a desk longer than the window", () => fitWindow(world));
  await test.step("a wrong token is told beside every tab, until a right one is entered", () =>
    tellWrongToken(world));
  await test.step("what is typed before the demo is known stays", () => keepTypedAccess(world));
  await test.step("the demo is asked for again where a connection is lost", () =>
    askForDemoAgain(world));
  await test.step("a pause of the agent shows of whom and until when", () => showPause(world));
  await test.step(
    "a template shows its words, its quick reply can be pressed, and Meta can hold and decide",
    () => playOfficialChannel(world),
  );
  await test.step("states and sources are in the language of the browser", () => translate(world));
});

async function fitWindow({ stack, demo, open }: TestConsole): Promise<void> {
  for (let count = 0; count < 12; count++) {
    const text = { ...ofDemo, messageType: "text", message: `Olá ${count}` };
    // Half of them wait, so that the queue is long.
    const later = count % 2 === 0 ? {} : { queued: true, delayMessage: 3_600 };
    assertEquals((await stack.call(demo, "send-message", { ...text, ...later })).status, 200);
  }
  await using browser = await open({ size: desk });
  const { page } = browser;
  for (const name of consoleTabs) {
    await openTab(page, name);
    assertEquals(await page.getByRole("tabpanel").count(), 1, name);
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
    assert(height <= desk.height, `${name}: ${height}`);
    const cut = await page.evaluate(
      `[...document.querySelectorAll(".tab-panel:not([hidden]) .panel")]
      .filter((panel) => panel.scrollHeight > panel.clientHeight).length`,
    );
    assertEquals(cut, 0, `${name}: no panel is cut`);
  }
  // By keyboard: the first tab again, then the last.
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Queue", selected: true }).waitFor();
  await page.keyboard.press("End");
  await page.getByRole("tab", { name: "Outside world", selected: true }).waitFor();
  await page.reload();
  await page.getByRole("tab", { name: "Outside world", selected: true }).waitFor();
  assertEquals(browser.faults, []);
}

async function tellWrongToken({ demo, open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  const problem = page.getByRole("alert");
  await page.locator("#queue-rows li").first().waitFor();
  assertEquals(await problem.count(), 0);
  await page.getByText("Instance and token", { exact: true }).click();
  await page.getByLabel("Client token").fill("mia_wrong");
  await page.getByRole("button", { name: "Show this queue" }).click();
  await problem.getByText("The client token is wrong").waitFor();
  await openTab(page, "Events");
  assert(await problem.isVisible());
  await openTab(page, "Queue");
  await page.getByLabel("Client token").fill(demo.token);
  await page.getByRole("button", { name: "Show this queue" }).click();
  await problem.waitFor({ state: "hidden" });
}

async function keepTypedAccess({ open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  const known = Promise.withResolvers<void>();
  await page.route("**/simulator/demo", async (route) => {
    await known.promise;
    await route.continue();
  });
  const asked = page.waitForRequest("**/simulator/demo");
  await page.reload();
  await asked;
  await page.getByText("Instance and token", { exact: true }).click();
  await page.getByLabel("Client token").fill("mia_typed");
  known.resolve();
  const after = page.locator("#secret-key-place", { hasText: "SUPABASE_SECRET_KEY" });
  await after.waitFor({ state: "attached" });
  assertEquals(await page.getByLabel("Client token").inputValue(), "mia_typed");
  assert(await page.getByLabel("Instance id").isVisible(), "the form stays open");
}

async function askForDemoAgain({ open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  let requests = 0;
  await page.route("**/simulator/demo", async (route) => {
    requests++;
    if (requests === 1) await route.abort("connectionreset");
    else await route.continue();
  });
  await page.reload();
  await page.locator("#queue-rows li").first().waitFor();
  assertEquals(requests, 2);
}

async function showPause({ stack, demo, open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  await openTab(page, "Events");
  await stack.call(demo, "send-message", { ...ofDemo, messageType: "text", message: "Eu resolvo" });
  const pause = page.locator("#events li").filter({ hasText: "agent.paused" }).first();
  await pause.locator("small", {
    hasText: /\+55 11 94444-3333 · paused until .*\d{1,2}:\d{2}/,
  }).waitFor();
  assertEquals(browser.faults, []);
}

async function playOfficialChannel({ stack, open }: TestConsole): Promise<void> {
  const { workspaceId } = await stack.administer("workspaces", { name: "Oficial" });
  const tenant = await stack.createInstance({
    workspaceId,
    provider: "whatsapp_cloud",
    providerConfig: { ...officialNumber, baseUrl: `${stack.origin}/simulator/graph` },
  });
  await registerOfficialWebhook(stack, tenant);
  const synced = await fetch(
    `${stack.origin}/functions/v1/admin-api/instances/${tenant.instanceId}/templates/sync`,
    { method: "POST", headers: { apikey: secretKey } },
  );
  const { items } = await synced.json();
  const { templateId } = items.find(({ name }: { name: string }) => name === "pedido_enviado");
  const sent = await stack.call(tenant, "send-template-message", {
    templateId,
    phone: "5511955556666",
    variables: { nome: "Lia", pedido: "4711", 1: "4711", button_1: "4711" },
  });
  assertEquals(sent.status, 200, JSON.stringify(sent.body));

  await using browser = await open();
  const { page } = browser;
  await page.locator("#phone-list").getByText("+55 11 95555-6666").first().click();
  const bubble = page.locator("#bubbles .bubble").first();
  for (
    const words of [
      "Seu pedido saiu",
      "Olá, Lia! O pedido 4711 está a caminho.",
      "Responda SAIR para não receber avisos",
    ]
  ) await bubble.getByText(words, { exact: true }).waitFor();
  await bubble.getByRole("link", { name: "Acompanhar" }).waitFor();
  await bubble.getByRole("button", { name: "Falar com alguém" }).click();
  await page.locator("#bubbles .own").getByText("Falar com alguém", { exact: true }).waitFor();

  await openTab(page, "Outside world");
  await page.getByLabel("What happens").selectOption("held");
  await page.locator("#fault-form").getByLabel("Provider").first().selectOption("whatsapp_cloud");
  await page.getByRole("button", { name: "Plan this fault" }).click();
  await page.getByText("Planned.").waitFor();
  const text = { phone: "5511955556666", messageType: "text", message: "Já vejo" };
  const { body: held } = await stack.call(tenant, "send-message", {
    ...{ instanceId: tenant.instanceId, ...text },
  });
  const readHeld = async (): Promise<Record<string, unknown>> =>
    (await stack.call(tenant, `messages-api/messages/${held.messageId}`)).body;
  assertEquals((await readHeld())["channelStatus"], "held_for_quality_assessment");
  await page.getByRole("button", { name: "Let it go" }).click();
  await waitUntil(async () => (await readHeld())["status"] === "delivered", {
    what: "the held message",
  });

  await page.getByLabel("Decision").selectOption("DOWNGRADE");
  await page.getByLabel("Reason, date of the ban, or limit").fill("TIER_2K");
  await page.getByRole("button", { name: "Tell the decision" }).click();
  await page.getByText("Told.", { exact: true }).waitFor();
  const feed = "events-api/events?after=oldest&types=instance.limit_changed";
  await waitUntil(async () => (await stack.call(tenant, feed)).body.items.length === 1, {
    what: "the changed limit",
  });

  const review = page.locator("#template-form");
  await review.getByLabel("Template").selectOption({ label: "promocao pt_BR" });
  await review.getByLabel("Outcome").selectOption("APPROVED");
  await review.getByRole("button", { name: "Decide" }).click();
  const decided = "events-api/events?after=oldest&types=template.status_changed";
  await waitUntil(async () => {
    const { items } = (await stack.call(tenant, decided)).body;
    return items.some(({ data }: { data: { name: string; status: string } }) =>
      data.name === "promocao" && data.status === "APPROVED"
    );
  }, { what: "the approved template" });
  assertEquals(browser.faults, []);
}

async function translate({ stack, demo, open }: TestConsole): Promise<void> {
  const text = { ...ofDemo, messageType: "text", message: "Em português" };
  await stack.call(demo, "send-message", text);
  await using browser = await open({ locale: "pt-BR" });
  const { page } = browser;
  await page.locator("#phone-list").getByText("+55 11 94444-3333").first().click();
  await page.locator("#bubbles .tick").getByText("entregue", { exact: true }).last().waitFor();
  await page.getByRole("tab", { name: "Mundo externo", exact: true }).click();
  await page.getByRole("heading", { name: "Conexões" }).waitFor();
}
