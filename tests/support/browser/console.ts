/** The console of a stack on a database of its own, for tests in a browser. */

import type { Locator } from "playwright-core";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import { findMiddayZone } from "../midday_zone.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackInstance,
  startLocalStack,
} from "../stack/local_stack.ts";
import { type BrowserPage, findBrowser, type PageOptions, startBrowser } from "./browser.ts";

/** A running stack, and a browser for its pages. */
export interface TestConsole extends AsyncDisposable {
  readonly stack: LocalStack;
  readonly database: TestDatabase;
  /** The instance that the console shows at first. */
  readonly demo: StackInstance;
  /** The demo's and the browser's: midnight is hours away, so that all that a test does is of today. */
  readonly timeZone: string;
  /** Opens the console, by default on a phone. */
  open(options?: Partial<PageOptions>): Promise<BrowserPage>;
}

/** The tabs of the console's side, in their order. */
export const consoleTabs = [
  ...["Queue", "Batches", "Costs", "Events", "Webhooks", "People", "Outside world"] as const,
];

/** Opens a tab of the console's side, in English. */
export async function openTab(
  page: BrowserPage["page"],
  name: (typeof consoleTabs)[number],
): Promise<void> {
  await page.getByRole("tab", { name, exact: true }).click();
}

/** Chooses an entry of the menu of a bubble. */
export async function chooseAction(bubble: Locator, entry: string): Promise<void> {
  await bubble.getByRole("button", { name: /^Actions/ }).click();
  await bubble.getByRole("menuitem", { name: entry, exact: true }).click();
}

const browserPath = await findBrowser();

const phone = { width: 360, height: 780 };

/** Starts a stack, with additional environment variables, and a browser. */
async function startConsole(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestConsole> {
  await using cleanup = new AsyncDisposableStack();
  const database = cleanup.use(await createTestDatabase());
  const folder = cleanup.use(await makeTemporaryFolder());
  const stack = cleanup.use(
    await startLocalStack({
      dataDir: `${folder.path}/data`,
      databaseUrl: database.url,
      environment,
    }),
  );
  const browser = cleanup.use(await startBrowser(browserPath ?? ""));
  const { instanceId, clientToken } = await (await fetch(`${stack.origin}/simulator/demo`)).json();
  const timeZone = findMiddayZone();
  // The demo is the only instance so far, and has sent nothing.
  await database.admin`update messaging.instances set time_zone = ${timeZone}`;
  const keep = cleanup.move();
  return {
    stack,
    database,
    demo: { instanceId, token: clientToken },
    timeZone,
    open: async (options) => {
      const opened = await browser.openPage({ size: phone, timeZone, ...options });
      await opened.page.goto(stack.origin);
      return opened;
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** Registers a test on a console. It is skipped where no Chromium is installed. */
export function testConsole(
  name: string,
  run: (world: TestConsole, test: Deno.TestContext) => Promise<void>,
  environment?: Readonly<Record<string, string>>,
): void {
  const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";
  Deno.test({
    name: `${name}${missing}`,
    ignore: browserPath === null,
    async fn(test): Promise<void> {
      await using world = await startConsole(environment);
      await run(world, test);
    },
  });
}
