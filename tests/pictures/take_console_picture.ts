/**
 * Takes the README's picture of the console: `deno task docs:screenshot`. Starts a stack of its own,
 * plays some traffic to it, and photographs the page in Chromium. Give `DATABASE_URL` to use a server
 * that runs already.
 */

import { findBrowser, openPage } from "../support/browser/browser.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";
import { customer, playTraffic } from "./console_traffic.ts";

const picture = new URL("../../docs/images/console.png", import.meta.url);
const size = { width: 1360, height: 780 };

async function takePicture(browserPath: string): Promise<void> {
  const databaseUrl = Deno.env.get("DATABASE_URL");
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    dataDir: folder.path,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  await playTraffic(stack);
  await using browser = await openPage(browserPath, size);
  const { page } = browser;
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(stack.origin);
  await page.locator("#phone-list").getByText(customer.shownPhone).first().click();
  await page.locator("#bubbles").getByText("18:00 às 20:00, por favor").waitFor();
  await page.locator("#queue-rows li").first().waitFor();
  await page.locator("#emails li").first().waitFor();
  await page.screenshot({ path: picture.pathname });
  if (browser.faults.length > 0) throw new Error(browser.faults.join("\n"));
}

const browserPath = await findBrowser();
if (browserPath === null) {
  // deno-lint-ignore no-console -- a task for a person at a terminal
  console.error("No Chromium is installed: on Debian, apt-get install chromium.");
  Deno.exit(1);
}
await takePicture(browserPath);
