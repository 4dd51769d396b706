/** The console shows who the chosen phone is: its contact's identities and consent. */
import { assertEquals, assertMatch } from "../support/assert.ts";
import { testConsole } from "../support/browser/console.ts";

const phone = "5511944443333";

testConsole(
  "the console shows the contact of a phone, its identities and what it said",
  async ({ stack, demo, open }) => {
    const ofDemo = { instanceId: "demo", phone };
    await stack.call(demo, "contacts-api/create", { ...ofDemo, name: "Ana" });
    await stack.call(demo, "send-message", { ...ofDemo, messageType: "text", message: "Olá" });
    await using browser = await open();
    const { page } = browser;
    const contact = page.getByRole("region", { name: "Contact" });
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
  },
);
