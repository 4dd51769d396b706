/** The console of `deno task serve --console`, in a browser. */
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { findBrowser, startBrowser } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { enqueueText } from "../support/database/queue_calls.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { secretKey } from "../support/stack/function_process.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { startServe } from "../support/stack/serve_process.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";
const sizes = [{ width: 360, height: 780 }, { width: 1400, height: 900 }];
const tabs = ["Queue", "Batches", "Costs", "Events", "Webhooks", "People"];
const phone = "5511944443333";

Deno.test({
  name:
    `a service's console asks for the secret key, then shows what an instance sends, and nothing that is simulated${missing}`,
  ignore: browserPath === null,
  fn: async () => {
    await using database = await createTestDatabase();
    await using provider = startHttpDouble(acceptMessage);
    await using folder = await makeTemporaryFolder();
    const { instanceId, token } = await createTenant(database.admin, { baseUrl: provider.baseUrl });
    await using service = await startServe({
      args: ["--console", "--processes", "2"],
      environment: { DATABASE_URL: database.url, MEDIA_FOLDER: folder.path },
    });
    const sent = await fetch(`${service.origin}/functions/v1/send-message`, {
      method: "POST",
      headers: { "x-client-token": token, "content-type": "application/json" },
      body: JSON.stringify({ instanceId, phone, messageType: "text", message: "Olá" }),
    });
    assertEquals(sent.status, 200, await sent.text());
    await enqueueText(database.admin, instanceId, { message: "Depois", delaySeconds: 86_400 });

    await using browser = await startBrowser(browserPath ?? "");
    const page = `${service.origin}/console`;
    for (const password of ["", "sb_secret_wrong_0123456789"]) {
      await using stranger = await browser.openPage({
        size: { width: 360, height: 780 },
        credentials: { username: "admin", password },
      });
      assertEquals((await stranger.page.goto(page))?.status(), 401);
    }
    for (const size of sizes) {
      const credentials = { username: "admin", password: secretKey };
      await using opened = await browser.openPage({ size, credentials });
      const asked: string[] = [];
      opened.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      assertEquals((await opened.page.goto(page))?.status(), 200);
      await opened.page.getByLabel("Instance id").fill(instanceId);
      await opened.page.getByLabel("Client token").fill(token);
      await opened.page.getByRole("button", { name: "Show this queue" }).click();
      await opened.page.locator("#queue-rows li").getByText("+55 11").first().waitFor();
      await opened.page.locator("#timeline-plot").waitFor();

      for (const name of tabs) {
        await opened.page.getByRole("tab", { name, exact: true }).click();
        assertEquals(await opened.page.getByRole("tabpanel").count(), 1, name);
        const cut = "document.documentElement.scrollWidth - innerWidth";
        assertEquals(await opened.page.evaluate(cut), 0, `${name} does not scroll sideways`);
      }
      assertEquals(await opened.page.getByRole("tab").allInnerTexts(), tabs);
      await opened.page.getByLabel("Phone or user id").fill("+55 11 94444-3333");
      await opened.page.getByRole("button", { name: "Show who it is" }).click();
      await opened.page.locator("#contact-rows").getByText("+55 11 94444-3333").waitFor();
      await opened.page.getByRole("tab", { name: "Events", exact: true }).click();
      await opened.page.locator("#events li").filter({ hasText: "message.sent" }).first().waitFor();

      assert(asked.includes("/console/schedule") && asked.includes("/console/service_main.js"));
      for (const path of asked) assertMatch(path, /^\/(?:console|functions\/v1)(?:\/|$)/);
      assertEquals(opened.faults, []);
    }
    assert(!service.output().includes(secretKey));
  },
});
