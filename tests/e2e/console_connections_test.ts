/** The console takes a gateway's connection away, and shows what becomes of the queue. */
import { assertEquals } from "../support/assert.ts";
import { testConsole } from "../support/browser/console.ts";

const text = { instanceId: "demo", phone: "5511944443333", messageType: "text" };

testConsole(
  "a gateway is disconnected in the console: the queue waits, and goes on when it is back",
  async ({ stack, demo, open }) => {
    await using browser = await open();
    const { page } = browser;
    const connections = page.getByRole("region", { name: "Connections" });
    const queue = page.getByRole("region", { name: "Queue" });
    const phone = page.locator("#bubbles");

    await connections.getByRole("button", { name: "Disconnect" }).click();
    await connections.getByText("disconnected", { exact: true }).waitFor();
    await queue.getByText("The connection is lost: Device has been disconnected.").waitFor();
    const held = await stack.call(demo, "send-message", {
      ...{ ...text, message: "Depois", queued: true },
    });
    assertEquals([held.status, held.body.heldBy], [200, "disconnected"]);
    await queue.getByText("held by the lost connection").waitFor();
    const refused = await stack.call(demo, "send-message", { ...text, message: "Agora" });
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
);
