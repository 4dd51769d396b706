/** The console shows who the chosen phone is and what it is to pay, takes its gateway away, and shows what becomes of the queue. */
import { assertEquals, assertMatch } from "../support/assert.ts";
import { openTab, type TestConsole, testConsole } from "../support/browser/console.ts";

const ofDemo = { instanceId: "demo", phone: "5511944443333" };
const text = { ...ofDemo, messageType: "text" };

testConsole(
  "the console's panels of a contact and of a connection, and its payments",
  async (world, test) => {
    await test.step("the console shows the contact of a phone, its identities and what it said", () =>
      showContact(world));
    await test.step("a payment has its amount, and its button says whether the browser has copied", () =>
      copyPayment(world));
    // Last: it changes the state of the only connection.
    await test.step("a gateway is disconnected in the console: the queue waits, and goes on when it is back", () =>
      disconnect(world));
  },
);

async function showContact({ stack, demo, open }: TestConsole): Promise<void> {
  await stack.call(demo, "contacts-api/create", { ...ofDemo, name: "Ana" });
  await stack.call(demo, "send-message", { ...text, message: "Olá" });
  await using browser = await open();
  const { page } = browser;
  const contact = page.getByRole("region", { name: "Contact" });
  await openTab(page, "People");
  const rows = contact.getByRole("list").locator("li");
  await rows.filter({ hasText: "Ana" }).getByText("has said nothing about marketing").waitFor();
  const identity = rows.filter({ hasText: "+55 11 94444-3333" });
  await identity.getByText("phone", { exact: true }).waitFor();

  await stack.call(demo, "contacts-api/consent", { ...ofDemo, marketing: "denied" });
  const denied = rows.filter({ hasText: "denied marketing" });
  await denied.getByText("by the API").waitFor();
  assertMatch(await denied.locator("time").innerText(), /\d/);
  await page.getByLabel("Answer", { exact: true }).fill("VOLTAR");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await rows.filter({ hasText: "wants marketing" }).getByText("by a keyword").waitFor();
  await identity.locator("time").waitFor();
  assertEquals(
    await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    0,
    "the page does not scroll sideways",
  );
  assertEquals(browser.faults, []);
}

async function copyPayment({ stack, demo, open }: TestConsole): Promise<void> {
  const sent = await stack.call(demo, "send-message", {
    ...{ ...ofDemo, messageType: "payment_request", message: "Pedido 4712" },
    rendering: "native",
    payment: {
      ...{ reference: "order-4712", amount: "1129.90" },
      items: [{ name: "Camisa", quantity: 1, amount: "1129.90" }],
      pix: {
        ...{ key: "12345678909", keyType: "cpf" },
        ...{ merchantName: "Loja", merchantCity: "Recife" },
      },
    },
  });
  assertEquals(sent.status, 200);
  await using browser = await open();
  const { page } = browser;
  const payment = page.locator("#bubbles .payment").filter({ hasText: "Camisa" });
  await payment.getByText("BRL 1,129.90").waitFor();
  for (
    const [outcome, words] of [["resolve", "Copied"], ["reject", "The browser refuses to copy"]]
  ) {
    await page.evaluate(`navigator.clipboard.writeText = (text) => {
      window.copied = text;
      return Promise.${outcome}();
    }`);
    await payment.getByRole("button").first().click();
    await payment.getByRole("button", { name: words }).waitFor();
    assertEquals(await page.evaluate("window.copied"), "12345678909");
  }
  assertEquals(browser.faults, []);
}

async function disconnect({ stack, demo, open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  const connections = page.getByRole("region", { name: "Connections" });
  const queue = page.getByRole("region", { name: "Queue" });
  const phone = page.locator("#bubbles");

  await openTab(page, "Outside world");
  await connections.getByRole("button", { name: "Disconnect" }).click();
  await connections.getByText("disconnected", { exact: true }).waitFor();
  await openTab(page, "Queue");
  await queue.getByText("The connection is lost: Device has been disconnected.").waitFor();
  const held = await stack.call(demo, "send-message", {
    ...{ ...text, message: "Depois", queued: true },
  });
  assertEquals([held.status, held.body.heldBy], [200, "disconnected"]);
  await queue.getByText("held by the lost connection").waitFor();
  const refused = await stack.call(demo, "send-message", { ...text, message: "Agora" });
  assertEquals(refused.status, 502, "an immediate send is tried, and its caller sees the answer");
  assertEquals(await phone.getByText("Depois").count(), 0);

  // A code that waits may be scanned by the wrong phone.
  const code = await fetch(`${stack.origin}/simulator/zapi/instances/DEMO/token/t/qr-code`);
  assertMatch((await code.json()).value, /^2@/);
  await openTab(page, "Outside world");
  await connections.getByLabel("What the gateway does").selectOption("slow");
  await connections.getByRole("button", { name: "Scan with another phone" }).click();
  await connections.getByText("connected", { exact: true }).waitFor();
  await openTab(page, "Queue");
  await queue.getByText("The gateway is connected to another phone.").waitFor();
  await queue.getByText("held by the right phone: another one is connected").waitFor();
  assertEquals(await phone.getByText("Depois").count(), 0);
  await openTab(page, "Outside world");
  await connections.getByRole("button", { name: "Disconnect" }).click();
  await connections.getByLabel("What the gateway does").selectOption("normal");
  await (await fetch(code.url)).body?.cancel();
  await page.reload();
  await openTab(page, "Outside world");
  // A code ends after 20 s, which a reload may take.
  await (await fetch(code.url)).body?.cancel();
  await connections.getByRole("button", { name: "Scan the code" }).click();
  await connections.getByText("connected", { exact: true }).waitFor();
  await openTab(page, "Queue");
  await phone.getByText("Depois").waitFor();
  await queue.getByText("Nothing is waiting.").waitFor();
  assertEquals(
    await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    0,
    "the page does not scroll sideways",
  );
  assertEquals(browser.faults, []);
}
