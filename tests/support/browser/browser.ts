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

/** A page in its own browser. Disposing closes both. */
export interface BrowserPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the page's scripts. */
  readonly faults: readonly string[];
}

/** Opens an empty page of the given size in pixels, in a browser of the given language. */
export async function openPage(
  executablePath: string,
  size: { readonly width: number; readonly height: number },
  locale = "en-US",
): Promise<BrowserPage> {
  const { chromium } = await import("playwright-core");
  // Chromium's sandbox does not work in a container. The browser opens only local pages.
  const browser: Browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox"],
    timeout: timeoutMs,
  });
  const page = await browser.newPage({ viewport: size, locale });
  page.setDefaultTimeout(timeoutMs);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { page, faults, [Symbol.asyncDispose]: () => browser.close() };
}
