/**
 * Takes the README's picture of the console, one of a month's costs, one of a question, and one of each kind of message:
 * `deno task docs:screenshot`. Starts a stack of its own, plays some traffic to it, and photographs the page
 * in Chromium. Give `DATABASE_URL` to use a server that runs already.
 */

import { fileURLToPath } from "node:url";
import { findBrowser, openPage } from "../support/browser/browser.ts";
import { findMiddayZone } from "../support/midday_zone.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  secretKey,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { customer, playTraffic } from "./console_traffic.ts";
import { takeCostsPicture } from "./costs_month.ts";
import { takeMessagePictures } from "./message_kinds.ts";
import { takeQuestionPicture } from "./question.ts";

export interface PictureOptions {
  /** Where Chromium is. */
  readonly browserPath: string;
  /** Where the picture goes. */
  readonly path: string;
  /** Where the picture of a month's costs goes. Default: none is taken. */
  readonly costsPath?: string | undefined;
  /** Where the picture of a question and its answer goes. Default: none is taken. */
  readonly questionPath?: string | undefined;
  /** Where the pictures of each kind of message go. Default: none is taken. */
  readonly messagesFolder?: string | undefined;
  /** Default: the stack starts a Postgres of its own. */
  readonly databaseUrl?: string | undefined;
}

/** Size of the picture in pixels. */
export const pictureSize = { width: 1360, height: 780 };

/**
 * Photographs the console of a new stack with some traffic.
 *
 * @throws {Error} when the page's scripts report a fault.
 */
export async function takeConsolePicture(options: PictureOptions): Promise<void> {
  const { browserPath, path, costsPath, questionPath, messagesFolder, databaseUrl } = options;
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    dataDir: folder.path,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  await keepFromMidnight(stack);
  await playTraffic(stack);
  await using browser = await openPage(browserPath, pictureSize);
  const { page } = browser;
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(stack.origin);
  await page.locator("#phone-list").getByText(customer.shownPhone).first().click();
  await page.locator("#bubbles").getByText(customer.lastWords).waitFor();
  await page.locator("#queue-rows li").first().waitFor();
  await page.locator("#timeline-plot .slots").first().waitFor();
  await page.locator("#emails li").first().waitFor({ state: "attached" });
  await page.locator("#events li").first().waitFor({ state: "attached" });
  await page.screenshot({ path });
  if (browser.faults.length > 0) throw new Error(browser.faults.join("\n"));
  if (costsPath !== undefined) await takeCostsPicture(stack, { browserPath, path: costsPath });
  if (questionPath !== undefined) {
    await takeQuestionPicture(stack, { browserPath, path: questionPath });
  }
  if (messagesFolder !== undefined) {
    await takeMessagePictures(stack, { browserPath, folder: messagesFolder });
  }
}

/** The next slots are of the day that the console shows at first, whenever the picture is taken. */
async function keepFromMidnight(stack: LocalStack): Promise<void> {
  const changed = await fetch(`${stack.origin}/functions/v1/admin-api/instances/demo`, {
    method: "PATCH",
    headers: { apikey: secretKey, "content-type": "application/json" },
    body: JSON.stringify({ timeZone: findMiddayZone() }),
  });
  const answer = await changed.text();
  if (!changed.ok) throw new Error(`the demo's time zone: ${answer}`);
}

if (import.meta.main) {
  const browserPath = await findBrowser();
  if (browserPath === null) {
    // deno-lint-ignore no-console -- a task for a person at a terminal
    console.error("No Chromium is installed: on Debian, apt-get install chromium.");
    Deno.exit(1);
  }
  const images = fileURLToPath(new URL("../../docs/images", import.meta.url));
  await takeConsolePicture({
    browserPath,
    path: `${images}/console.png`,
    costsPath: `${images}/costs.png`,
    questionPath: `${images}/question.png`,
    messagesFolder: `${images}/messages`,
    databaseUrl: Deno.env.get("DATABASE_URL"),
  });
}
