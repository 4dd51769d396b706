/** The console uses the window: its height on a desk, one row of tabs at every width. */
import type { Page } from "playwright-core";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { consoleTabs, openTab, type TestConsole, testConsole } from "../support/browser/console.ts";

const ofDemo = { instanceId: "demo", messageType: "text" };
const desks = [
  ...[{ width: 1024, height: 768 }, { width: 1280, height: 900 }],
  ...[{ width: 1440, height: 900 }, { width: 1920, height: 1080 }],
];
/** Below the columns a desk shows no more than this of the page's background. */
const marginPixels = 24;

testConsole("the console's layout", async (world, test) => {
  for (let count = 0; count < 12; count++) {
    const text = { ...ofDemo, phone: `55119444433${10 + count}`, message: `Olá ${count}` };
    assertEquals((await world.stack.call(world.demo, "send-message", text)).status, 200);
  }
  for (const size of desks) {
    await test.step(
      `at ${size.width} × ${size.height} the columns end at the window's edge and the tabs stand still in one row`,
      () => fillDesk(world, size),
    );
  }
  await test.step("at 390 px the row of tabs scrolls, and the chosen one is in view", () =>
    fitPhone(world));
});

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

async function readBoxes(page: Page, selector: string): Promise<Box[]> {
  return await page.evaluate(
    `[...document.querySelectorAll("${selector}")].map((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { left, right, top, bottom };
    })`,
  );
}

async function fillDesk({ open }: TestConsole, size: (typeof desks)[number]): Promise<void> {
  for (const locale of ["en-US", "pt-BR"]) {
    await using browser = await open({ size, locale });
    const { page } = browser;
    await page.locator("#bubbles .bubble").first().waitFor();
    const former = await readBoxes(page, "[role=tab]");
    assertEquals(former.length, consoleTabs.length);
    assertEquals(new Set(former.map(({ top }) => top)).size, 1, `${locale}: one row`);
    const [row] = await readBoxes(page, "[role=tablist]");
    assert(former.every(({ right }) => right <= (row?.right ?? 0)), `${locale}: no tab is cut`);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      assertEquals(await readBoxes(page, "[role=tab]"), former, `${locale}: no tab moves`);
      for (const column of [".phone", ".tab-panel:not([hidden])"]) {
        const [box] = await readBoxes(page, column);
        const gap = size.height - (box?.bottom ?? 0);
        assert(gap >= 0 && gap <= marginPixels, `${locale} ${column}: ${gap} px are empty below`);
      }
      assertEquals(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        0,
        `${locale}: the page does not scroll sideways`,
      );
    }
    assertEquals(browser.faults, []);
  }
  await fillWithEvents(open, size);
}

/** The list of events reaches from its head to the panel's end. */
async function fillWithEvents(
  open: TestConsole["open"],
  size: (typeof desks)[number],
): Promise<void> {
  await using browser = await open({ size });
  const { page } = browser;
  await openTab(page, "Events");
  await page.locator("#events li").nth(20).waitFor();
  const [list] = await readBoxes(page, "#events");
  assert(list !== undefined);
  assertGreater((list.bottom - list.top) / size.height, 0.6, "the share of the window's height");
}

async function fitPhone({ open }: TestConsole): Promise<void> {
  await using browser = await open({ size: { width: 390, height: 844 } });
  const { page } = browser;
  for (const name of consoleTabs) {
    await page.getByRole("tab", { name, exact: true }).evaluate((tab) =>
      (tab as unknown as { click(): void }).click()
    );
    const boxes = await readBoxes(page, "[role=tab]");
    assertEquals(new Set(boxes.map(({ top }) => top)).size, 1, `${name}: one row`);
    const chosen = boxes[consoleTabs.indexOf(name)];
    assert(chosen !== undefined && chosen.left >= 0 && chosen.right <= 390, `${name} is in view`);
    assertEquals(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
      0,
      `${name}: the page does not scroll sideways`,
    );
  }
  assertEquals(browser.faults, []);
}
