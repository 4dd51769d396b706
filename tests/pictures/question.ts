/** Photographs a question and its answer as the console's phone shows them, for docs/questions.md. */

import { openPage } from "../support/browser/browser.ts";
import type { LocalStack } from "../support/stack/local_stack.ts";
import { readDemo } from "./console_traffic.ts";
import { waitUntil } from "../support/wait_until.ts";

const phone = "5511922221111";
/** As the console's list of phones writes the end of it. */
const shownPhone = "92222-1111";

/**
 * Asks with two buttons, taps one of them, and photographs the conversation.
 *
 * @throws {Error} when the question is refused or not answered, or the page's scripts report a fault.
 */
export async function takeQuestionPicture(
  stack: LocalStack,
  { browserPath, path }: { readonly browserPath: string; readonly path: string },
): Promise<void> {
  const demo = await readDemo(stack);
  const asked = await stack.call(demo, "send-message", {
    ...{ instanceId: "demo", phone, messageType: "buttons" },
    message: "Sua visita é amanhã, às 9h. Podemos confirmar?",
    buttons: [{ id: "yes", title: "Sim" }, { id: "no", title: "Não" }],
    ask: { accept: "choice", answerWithin: "PT4H", key: "visit-4711", remindAfter: "PT1H" },
  });
  if (asked.status !== 200) throw new Error(JSON.stringify(asked));
  await using browser = await openPage(browserPath, { width: 1_360, height: 900 });
  const { page } = browser;
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(stack.origin);
  await page.locator("#phone-list").getByText(shownPhone).first().click();
  const bubbles = page.locator("#bubbles");
  await bubbles.getByRole("button", { name: "Sim" }).click();
  const question = `messages-api/questions/${asked.body.questionId}`;
  await waitUntil(
    async () => (await stack.call(demo, question)).body.status === "answered",
    { what: "the question's answer" },
  );
  const said = bubbles.locator("[data-message]");
  await said.nth(1).waitFor();
  const [top, bottom, frame] = await Promise.all(
    [said.first(), said.last(), bubbles].map((part) => part.boundingBox()),
  );
  if (!top || !bottom || !frame) throw new Error("the question is not shown");
  const y = top.y - 8;
  const clip = { x: frame.x, y, width: frame.width, height: bottom.y + bottom.height + 8 - y };
  await page.screenshot({ path, clip });
  if (browser.faults.length > 0) throw new Error(browser.faults.join("\n"));
}
