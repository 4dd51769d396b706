/** The page that connects a phone, in a real browser, against gateways that behave and misbehave. */

import axe from "axe-core";
import type { Page } from "playwright-core";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { type BrowserPage, findBrowser, startBrowser } from "../support/browser/browser.ts";
import { startTestServer } from "../support/doubles/test_server.ts";
import { findFreePort } from "../support/free_port.ts";
import {
  type ConnectClient,
  createConnectClient,
  type LinkedInstance,
  ownPhone,
} from "../functions/connect/connect_client.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";
const phoneSize = { width: 320, height: 640 };

interface OpenLink {
  readonly client: ConnectClient;
  readonly link: LinkedInstance;
  open(options?: { locale?: string; dark?: boolean; touch?: boolean }): Promise<BrowserPage>;
}

/** Starts everything for one link of a gateway, and ends it after `run`. */
async function withLink(
  provider: string,
  request: object,
  run: (open: OpenLink) => Promise<void>,
): Promise<void> {
  const port = findFreePort();
  const functionsUrl = `http://127.0.0.1:${port}`;
  await using client = await createConnectClient({ functionsUrl });
  await using _server = startTestServer((call) => client.app.fetch(call), { port });
  await using browser = await startBrowser(browserPath ?? "");
  const link = await client.createLink(provider, request);
  await run({
    ...{ client, link },
    async open({ locale = "en-US", dark = false, touch = false } = {}): Promise<BrowserPage> {
      const opened = await browser.openPage({ size: phoneSize, locale });
      await opened.page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      if (touch) await opened.page.addInitScript(pretendTouch);
      await opened.page.goto(link.url);
      return opened;
    },
  });
}

/** What a phone's browser says of its pointer. */
const pretendTouch =
  `{const real=window.matchMedia.bind(window);window.matchMedia=(query)=>query==="(pointer: coarse)"?{matches:true}:real(query);}`;

const statusOf = (page: Page): ReturnType<Page["locator"]> => page.locator("#status");

/** Violations that axe-core finds; the page's policy lets no script of a test in, so it comes by the debugger. */
async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    "axe.run(document).then(({violations}) => violations.map(({id, nodes}) => ({id, nodes: nodes.map(({html}) => ({html}))})))",
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Nothing is wider than 320 pixels. */
async function overflows(page: Page): Promise<boolean> {
  return await page.evaluate("document.documentElement.scrollWidth > 320");
}

const test = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name: `${name}${missing}`, ignore: browserPath === null, fn });

for (const dark of [false, true]) {
  test(`the page draws the code and says who is connected, ${dark ? "dark" : "light"}, at 320 pixels, without a violation`, async () => {
    await withLink("zapi", { language: "pt" }, async ({ client, link, open }) => {
      await using opened = await open({ dark });
      const { page, faults } = opened;
      await page.getByAltText("Código QR para ler com o WhatsApp").waitFor();
      assertEquals(await page.title(), "Conectar o WhatsApp");
      assertEquals(await page.locator("html").getAttribute("lang"), "pt");
      assertEquals(await page.locator("h1").textContent(), "Conecte o WhatsApp a Clínica Sol");
      const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      assertEquals(background, dark ? "rgb(16, 22, 20)" : "rgb(244, 246, 245)");
      assertEquals([await listViolations(page), await overflows(page)], [[], false]);

      await page.getByRole("radio", { name: /Digitar um código/ }).check();
      await page.locator("#phone").waitFor();
      assertEquals([await listViolations(page), await overflows(page)], [[], false]);

      assertEquals(await client.pair(link, ownPhone), 201);
      await statusOf(page).getByText("Conectado como +55 11 98888-7777.").waitFor();
      assertEquals([await listViolations(page), await overflows(page)], [[], false]);
      await page.getByRole("button", { name: "Enviar uma mensagem de teste" }).click();
      await statusOf(page).getByText(/foi enviada/).waitFor();
      assertEquals((await client.simulator.read("/messages")).total, 1);
      assertEquals(faults, []);
    });
  });
}

test("on the phone itself the page offers the code to type, and works by the keyboard alone", async () => {
  await withLink("evolution", { language: "es" }, async ({ client, link, open }) => {
    await using opened = await open({ touch: true });
    const { page } = opened;
    await page.locator("#phone").waitFor();
    // From the top: the two choices are one stop, then the field, then the button.
    const focused: string[] = [];
    for (let press = 0; press < 3; press += 1) {
      await page.keyboard.press("Tab");
      focused.push(
        await page.evaluate("document.activeElement.id || document.activeElement.value"),
      );
    }
    assertEquals(focused, ["code", "phone", "get-code"]);
    await page.keyboard.press("Enter");
    await statusOf(page).getByText("Escribe el número").waitFor();
    assertEquals(await page.evaluate("document.activeElement.id"), "phone");
    await page.keyboard.type("+55 (11) 98888-7777");
    await page.keyboard.press("Enter");
    await page.locator("#typed:not(:empty)").waitFor();
    const typed = await page.locator("#typed").textContent() ?? "";
    assertMatch(typed, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
    assertEquals(await listViolations(page), []);
    assertEquals(await client.pair(link, ownPhone, typed.replace("-", "")), 201);
    await statusOf(page).getByText("Conectado como +55 11 98888-7777.").waitFor();
    assertEquals(await page.evaluate("document.activeElement.id"), "done");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await statusOf(page).getByText(/se ha enviado/).waitFor();
  });
});

test("a code is renewed before it ends, and after three that nobody scanned the person is asked", async () => {
  await withLink("zapi", { language: "en" }, async ({ client, open }) => {
    await using opened = await open();
    const { page } = opened;
    const picture = page.locator("#picture");
    await picture.waitFor();
    const seen = new Set<string>();
    const renew = page.getByRole("button", { name: "Show a new code" });
    // What is drawn is never long over: each change is seen while the former code has just ended.
    for (let round = 0; round < 150 && !await renew.isVisible(); round += 1) {
      const source = await picture.getAttribute("src");
      if (source !== null) seen.add(source);
      await page.waitForTimeout(500);
    }
    assertEquals(seen.size, 3);
    assertEquals(await statusOf(page).textContent(), "Nobody has scanned a code yet.");
    await renew.click();
    await picture.waitFor();
    assertEquals(client.logLines.filter((line) => line.includes('"error"')), []);
  });
});

test("a wrong phone, a passkey, an error with 200 and a gateway that is down are said in words", async () => {
  await withLink("evolution", { language: "en" }, async ({ client, link, open }) => {
    const behave = (behavior: string): Promise<unknown> =>
      client.simulator.post("/sessions", { provider: "evolution", instance: link.name, behavior });
    await behave("down");
    await using opened = await open();
    const { page } = opened;
    await statusOf(page).getByText("The connection cannot be reached now.").waitFor();
    assertEquals(await listViolations(page), []);
    await behave("error");
    await page.reload();
    await statusOf(page).getByText("The connection cannot be reached now.").waitFor();
    await behave("passkey");
    await page.reload();
    await statusOf(page).getByText("This account asks for its passkey").waitFor();
    await behave("slow");
    await page.reload();
    await page.locator("#picture[src]").waitFor();
    assertEquals(await client.pair(link, "5521977776666"), 201);
    await statusOf(page).getByText("Another phone is connected: +55 21 97777-6666.").waitFor();
    assertEquals(await listViolations(page), []);
  });
});

test("a phone that is connected already is said at once, and the link has ended for others", async () => {
  await withLink("zapi", {}, async ({ client, link, open }) => {
    const connected = { provider: "zapi", instance: link.name, state: "connected" };
    await client.simulator.post("/connections", connected);
    await using first = await open({ locale: "pt-BR" });
    await statusOf(first.page).getByText("Conectado.").waitFor();
    await using second = await open({ locale: "es-MX" });
    await statusOf(second.page).getByText("Este enlace ha terminado.").waitFor();
    assertEquals(await second.page.locator("h1").textContent(), "Conectar WhatsApp");
    assertEquals(await listViolations(second.page), []);
  });
});

test("a picture without words and a text without contrast are found as violations", async () => {
  await withLink("zapi", {}, async ({ open }) => {
    await using opened = await open();
    const { page } = opened;
    await page.locator("#picture[src]").waitFor();
    await page.evaluate(
      `document.getElementById("picture").removeAttribute("alt");document.getElementById("until").style.color="#eee"`,
    );
    const found = (await listViolations(page)).map((violation) => violation.split(":")[0]);
    assertEquals(found.sort(), ["color-contrast", "image-alt"]);
  });
});

test("two browsers on one link see one state, also one that slept meanwhile", async () => {
  await withLink("zapi", { language: "en" }, async ({ client, link, open }) => {
    await using awake = await open();
    await using asleep = await open();
    await awake.page.locator("#picture[src]").waitFor();
    await asleep.page.locator("#picture[src]").waitFor();
    const hide = (isHidden: boolean): string =>
      `Object.defineProperty(document,"hidden",{configurable:true,value:${isHidden}});document.dispatchEvent(new Event("visibilitychange"))`;
    await asleep.page.evaluate(hide(true));
    assertEquals(await client.pair(link, ownPhone), 201);
    await statusOf(awake.page).getByText("Connected as +55 11 98888-7777.").waitFor();
    assertEquals(await statusOf(asleep.page).getByText("Connected").count(), 0, "it asks nothing");
    await asleep.page.evaluate(hide(false));
    await statusOf(asleep.page).getByText("Connected as +55 11 98888-7777.").waitFor();
  });
});
