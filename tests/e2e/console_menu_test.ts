/** A bubble shows words, state and time; what can be done with it stands behind one menu. */
import type { Locator, Page } from "playwright-core";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { type TestConsole, testConsole } from "../support/browser/console.ts";

const phone = "5511944443333";
const entries = [
  ...["👍", "❤️", "😂", "😮", "😢", "🙏"].map((emoji) => `React ${emoji}`),
  ...["Take the reaction back", "Edit by the API", "Delete by the API"],
];

testConsole("the menu of a bubble", async (world, test) => {
  const text = { instanceId: "demo", phone, messageType: "text", message: "Combinado" };
  assertEquals((await world.stack.call(world.demo, "send-message", text)).status, 200);
  await using browser = await world.open({ size: { width: 1_280, height: 900 } });
  const { page } = browser;
  const bubble = page.locator("#bubbles .bubble").first();
  await test.step("a bubble shows its words, its state and its time, and one button", () =>
    readBubble(bubble));
  await test.step("the menu is operated by the keyboard alone", () => useKeyboard(page, bubble));
  await test.step("a click elsewhere and scrolling close it", () => closeByMouse(page, bubble));
  await test.step("it stays inside the window of a phone", () => fitPhone(world));
  assertEquals(browser.faults, []);
});

async function readBubble(bubble: Locator): Promise<void> {
  await bubble.getByText("delivered", { exact: true }).waitFor();
  const words = (await bubble.innerText()).replace(/\s+/g, " ");
  assertMatch(words, /^Combinado (?:✓✓ )?delivered \d{1,2}:\d{2} [AP]M ⋯$/);
  assertEquals(await bubble.getByRole("button").count(), 1);
}

async function useKeyboard(page: Page, bubble: Locator): Promise<void> {
  const button = bubble.getByRole("button", { name: "Actions: Combinado" });
  const menu = page.getByRole("menu", { name: "Actions: Combinado" });
  const focused = (): Promise<string> =>
    page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent");
  assertEquals(await button.getAttribute("aria-haspopup"), "menu");
  for (const [key, first] of [["Enter", 0], ["Space", 0], ["ArrowDown", 0], ["ArrowUp", -1]]) {
    await button.focus();
    await page.keyboard.press(String(key));
    await menu.waitFor();
    assertEquals(await button.getAttribute("aria-expanded"), "true");
    assertEquals(await focused(), entries.at(Number(first)), `${key}`);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    assertEquals(await button.getAttribute("aria-expanded"), "false");
    assertEquals(await focused(), "Actions: Combinado", "the focus is back at the button");
  }
  await page.keyboard.press("Enter");
  assertEquals(
    await menu.getByRole("menuitem").evaluateAll((items) =>
      items.map((item) => item.getAttribute("aria-label") ?? item.textContent)
    ),
    entries,
  );
  const moves = [
    ...[["ArrowDown", 1], ["ArrowRight", 2], ["ArrowUp", 1], ["ArrowLeft", 0], ["ArrowUp", -1]],
    ...[["ArrowDown", 0], ["End", -1], ["Home", 0], ["e", -2], ["d", -1], ["t", 6]],
  ] as const;
  for (const [key, index] of moves) {
    await page.keyboard.press(String(key));
    assertEquals(await focused(), entries.at(Number(index)), String(key));
  }
  await page.keyboard.press("Tab");
  await menu.waitFor({ state: "detached" });

  await button.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await bubble.locator("[data-reaction-to]").getByText("❤️").waitFor();
  assertEquals(await focused(), "Actions: Combinado");
  await page.keyboard.press("Space");
  await page.keyboard.press("t");
  await page.keyboard.press("Space");
  await bubble.locator("[data-reaction-to]:empty").waitFor({ state: "attached" });
}

async function closeByMouse(page: Page, bubble: Locator): Promise<void> {
  const button = bubble.getByRole("button", { name: /^Actions/ });
  const menu = page.getByRole("menu");
  await button.click();
  await menu.waitFor();
  await button.click();
  await menu.waitFor({ state: "detached" });
  await button.click();
  await page.locator("#phone-title").click();
  await menu.waitFor({ state: "detached" });
  await button.click();
  const scroll = (pixels: number) =>
    page.evaluate(`{
      document.getElementById("bubbles").style.transform = "translateY(${pixels}px)";
      document.getElementById("chat").dispatchEvent(new Event("scroll"));
    }`);
  // The click itself may scroll, and the browser tells so after it.
  await scroll(0);
  assertEquals(await menu.count(), 1, "it stays where its button stays");
  await scroll(-20);
  await menu.waitFor({ state: "detached" });
  await scroll(0);
}

async function fitPhone({ open }: TestConsole): Promise<void> {
  await using browser = await open();
  const { page } = browser;
  await page.locator("#bubbles .bubble").first().getByRole("button", { name: /^Actions/ }).click();
  const box = await page.getByRole("menu").boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  assertEquals(
    [(box?.x ?? -1) >= 0, (box?.y ?? -1) >= 0],
    [true, true],
  );
  assertEquals(
    [(box?.x ?? 0) + (box?.width ?? 0) <= width, (box?.y ?? 0) + (box?.height ?? 0) <= height],
    [true, true],
  );
  assertEquals(browser.faults, []);
}
