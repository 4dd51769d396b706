/** The console changes what was sent, on either side, and shows what became of it. */
import type { Page } from "playwright-core";
import { assertEquals } from "../support/assert.ts";
import {
  chooseAction,
  openTab,
  type TestConsole,
  testConsole,
} from "../support/browser/console.ts";
import type { StackAnswer } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const phone = "5511944443333";

testConsole("the console's buttons for what was sent", async (world, test) => {
  await using browser = await world.open({ size: { width: 1_200, height: 900 } });
  const { page } = browser;
  await test.step("a sent text is edited by the API, and deleted for everyone", () =>
    changeSent(world, page));
  await test.step("what the customer wrote is marked as read by the API", () => readReceived(page));
  await test.step("the customer edits a message and deletes it, which events tell", () =>
    changeReceived(page));
  await test.step("the customer reads what was sent, and reacts", () => readSent(world, page));
  await test.step("a refusal is told in the API's words", () => refuseEdit(world, page));
  // The browser reports the refused call itself.
  assertEquals(browser.faults.filter((fault) => !fault.includes("409")), []);
});

async function send({ stack, demo }: TestConsole, message: string): Promise<string> {
  const text = { instanceId: "demo", phone, messageType: "text", message };
  const { status, body } = await stack.call(demo, "send-message", text);
  assertEquals(status, 200, JSON.stringify(body));
  return body.messageId;
}

async function readMessage(
  { stack, demo }: TestConsole,
  messageId: string,
): Promise<StackAnswer["body"]> {
  return (await stack.call(demo, `messages-api/messages/${messageId}`)).body;
}

const bubbleOf = (page: Page, words: string) =>
  page.locator("#bubbles .bubble").filter({ hasText: words }).last();

/** Chooses an entry that may ask for words, and gives these. */
async function press(page: Page, words: string, entry: string, answer?: string): Promise<void> {
  if (answer !== undefined) page.once("dialog", (dialog) => dialog.accept(answer));
  await chooseAction(bubbleOf(page, words), entry);
}

async function changeSent(world: TestConsole, page: Page): Promise<void> {
  const messageId = await send(world, "Chega hoje");
  await press(page, "Chega hoje", "Edit by the API", "Chega amanhã");
  await bubbleOf(page, "Chega amanhã").getByText("edited", { exact: true }).waitFor();
  const edited = await waitUntil(async () => {
    const message = await readMessage(world, messageId);
    return message.editedAt === null ? undefined : message;
  }, { what: "the edit" });
  assertEquals(edited.message, "Chega amanhã");

  await press(page, "Chega amanhã", "Delete by the API");
  await bubbleOf(page, "Chega amanhã").getByText("deleted for everyone").waitFor();
  await waitUntil(async () => (await readMessage(world, messageId)).deletedAt !== null, {
    what: "the deletion",
  });
}

async function write(page: Page, words: string): Promise<void> {
  await page.getByLabel("Answer", { exact: true }).fill(words);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator("#bubbles .own .text").getByText(words, { exact: true }).waitFor();
}

async function readReceived(page: Page): Promise<void> {
  await write(page, "Que horas?");
  // The service knows the message as soon as its webhook has been taken.
  await openTab(page, "Events");
  await page.locator("#events").getByText("Que horas?").first().waitFor();
  await press(page, "Que horas?", "Read by the API");
  await bubbleOf(page, "Que horas?").getByText("read by the company").waitFor();
}

async function changeReceived(page: Page): Promise<void> {
  await write(page, "Às dezz");
  await press(page, "Às dezz", "Edit", "Às dez");
  await bubbleOf(page, "Às dez").getByText("edited", { exact: true }).waitFor();
  const events = page.locator("#events li");
  await events.filter({ hasText: "message.edited" }).filter({ hasText: "Às dez" }).first()
    .waitFor();
  await press(page, "Às dez", "Delete");
  await bubbleOf(page, "Às dez").getByText("deleted for everyone").waitFor();
  await events.filter({ hasText: "message.deleted" }).first().waitFor();
}

async function readSent(world: TestConsole, page: Page): Promise<void> {
  const messageId = await send(world, "Combinado");
  await bubbleOf(page, "Combinado").waitFor();
  await page.getByRole("button", { name: "Mark as read" }).click();
  await bubbleOf(page, "Combinado").locator(".tick").getByText("read", { exact: true }).waitFor();
  await waitUntil(async () => (await readMessage(world, messageId)).status === "read", {
    what: "the reading",
  });
  await press(page, "Combinado", "React ❤️");
  await bubbleOf(page, "Combinado").locator("[data-reaction-to]").getByText("❤️").waitFor();
  await page.locator("#events li").filter({ hasText: "message.reaction" }).first().waitFor();
}

/** What is deleted cannot be edited. */
async function refuseEdit(world: TestConsole, page: Page): Promise<void> {
  await press(page, "Chega amanhã", "Edit by the API", "Nunca");
  await page.locator("#reply-note").getByText(/./).waitFor();
  assertEquals(await page.locator("#bubbles").getByText("Nunca").count(), 0);
  assertEquals(
    await world.stack.readSimulator(`messages?to=${phone}`).then((all) => all.length),
    2,
  );
}
