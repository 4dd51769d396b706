/** Runs a real Chromium for tests of pages, where one is installed. */

import type { Browser, Page } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Only a failing test waits that long. */
const timeoutMs = 180_000;

/** Path of Chromium. @returns null where none is installed. */
export async function findBrowser(): Promise<string | null> {
  for (const place of places) {
    if (await Deno.stat(place).then(({ isFile }) => isFile, () => false)) return place;
  }
  return null;
}

/** A page without the cookies of other pages. Disposing closes it. */
export interface BrowserPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the page's scripts. */
  readonly faults: readonly string[];
}

/** What a page is opened as. */
export interface PageOptions {
  /** In pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** The language of its browser. Default: `en-US`. */
  readonly locale?: string;
  /** The time zone of its browser. Default: the machine's. */
  readonly timeZone?: string;
  /** What it answers when a server asks for a password. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** A running Chromium. Disposing ends it. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens an empty page. */
  openPage(options: PageOptions): Promise<BrowserPage>;
}

/** Starts Chromium, which takes as long as opening a page of the console. */
export async function startBrowser(executablePath: string): Promise<TestBrowser> {
  const { chromium } = await import("playwright-core");
  // Chromium's sandbox does not work in a container. The browser opens only local pages.
  const browser: Browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox"],
    timeout: timeoutMs,
  });
  return {
    openPage: async ({ size, locale = "en-US", timeZone, credentials }) => {
      const page = await browser.newPage({
        viewport: size,
        locale,
        ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
        ...(credentials === undefined ? {} : { httpCredentials: credentials }),
      });
      page.setDefaultTimeout(timeoutMs);
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      return {
        page,
        faults,
        [Symbol.asyncDispose]: async () => {
          // A request that a test answers may be under way: nobody waits for it any more.
          await page.unrouteAll({ behavior: "ignoreErrors" });
          await page.close();
        },
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Opens an empty page in a browser of its own. Disposing closes both. */
export async function openPage(
  executablePath: string,
  size: PageOptions["size"],
): Promise<BrowserPage> {
  await using cleanup = new AsyncDisposableStack();
  const browser = cleanup.use(await startBrowser(executablePath));
  const opened = cleanup.use(await browser.openPage({ size }));
  const keep = cleanup.move();
  return { ...opened, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}
