/** The console takes a gateway's connection away, and shows what becomes of the queue. */
import { assertEquals } from "../support/assert.ts";
import { findBrowser, openPage } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";
const text = { instanceId: "demo", phone: "5511944443333", messageType: "text" };

Deno.test({
  name:
    `a gateway is disconnected in the console: the queue waits, and goes on when it is back${missing}`,
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
    await using browser = await openPage(browserPath ?? "", { width: 360, height: 780 });
    const { page } = browser;
    await page.goto(stack.origin);
    const connections = page.getByRole("region", { name: "Connections" });
    const queue = page.getByRole("region", { name: "Queue" });
    const phone = page.locator("#bubbles");

    await connections.getByRole("button", { name: "Disconnect" }).click();
    await connections.getByText("disconnected", { exact: true }).waitFor();
    await queue.getByText("The connection is lost: Device has been disconnected.").waitFor();
    const held = await stack.call(tenant, "send-message", {
      ...{ ...text, message: "Depois", queued: true },
    });
    assertEquals([held.status, held.body.heldBy], [200, "disconnected"]);
    await queue.getByText("held by the lost connection").waitFor();
    const refused = await stack.call(tenant, "send-message", { ...text, message: "Agora" });
    assertEquals(refused.status, 502, "an immediate send is tried, and its caller sees the answer");
    assertEquals(await phone.getByText("Depois").count(), 0);

    await connections.getByRole("button", { name: "Connect", exact: true }).click();
    await connections.getByText("connected", { exact: true }).waitFor();
    await phone.getByText("Depois").waitFor();
    await queue.getByText("Nothing is waiting.").waitFor();
    assertEquals(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
      0,
      "the page does not scroll sideways",
    );
    assertEquals(browser.faults, []);
  },
});
