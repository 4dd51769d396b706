/** The console shows who the chosen phone is: its contact's identities and consent. */
import { assertEquals, assertMatch } from "../support/assert.ts";
import { findBrowser, openPage } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";
const phone = "5511944443333";

Deno.test({
  name: `the console shows the contact of a phone, its identities and what it said${missing}`,
  ignore: browserPath === null,
  async fn(): Promise<void> {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
    const demo = await (await fetch(`${stack.origin}/simulator/demo`)).json();
    const tenant = { instanceId: demo.instanceId, token: demo.clientToken };
    const ofDemo = { instanceId: "demo", phone };
    await stack.call(tenant, "contacts-api/create", { ...ofDemo, name: "Ana" });
    await stack.call(tenant, "send-message", { ...ofDemo, messageType: "text", message: "Olá" });
    await using browser = await openPage(browserPath ?? "", { width: 360, height: 780 });
    const { page } = browser;
    await page.goto(stack.origin);
    const contact = page.getByRole("region", { name: "Contact" });
    const rows = contact.getByRole("list").locator("li");
    await rows.filter({ hasText: "Ana" }).getByText("has said nothing about marketing").waitFor();
    const identity = rows.filter({ hasText: "+55 11 94444-3333" });
    await identity.getByText("phone", { exact: true }).waitFor();

    await stack.call(tenant, "contacts-api/consent", { ...ofDemo, marketing: "denied" });
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
});
