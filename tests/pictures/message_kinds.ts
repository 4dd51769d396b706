/**
 * Photographs one message of each kind as the console's phone shows it, for docs/messages.md: on the
 * official channel, which has every kind.
 */

import { fileURLToPath } from "node:url";
import type { MessageContent } from "../../shared/model/message_content.ts";
import {
  officialNumber,
  registerOfficialWebhook,
  writeToOfficialNumber,
} from "../support/fixtures/official_customer.ts";
import { oneOfEachType, toRequest } from "../support/fixtures/one_of_each_type.ts";
import { openPage } from "../support/browser/browser.ts";
import { waitUntil } from "../support/wait_until.ts";
import type { LocalStack, StackInstance } from "../support/stack/local_stack.ts";

const phone = "5511933332222";
/** What stands behind the addresses of pictures. */
const examplePicture = fileURLToPath(new URL("../../docs/images/console.png", import.meta.url));
/** As the console's list of phones writes the end of it. */
const shownPhone = "93333-2222";

/**
 * Sends a message of each kind to a phone of the stack and photographs each into `folder`.
 *
 * @throws {Error} when a send is refused or the page's scripts report a fault.
 */
export async function takeMessagePictures(
  stack: LocalStack,
  { browserPath, folder }: { readonly browserPath: string; readonly folder: string },
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const { workspaceId } = await stack.administer("workspaces", { name: "Loja" });
  const instance = await stack.createInstance({
    workspaceId,
    provider: "whatsapp_cloud",
    providerConfig: { ...officialNumber, baseUrl: `${stack.origin}/simulator/graph` },
  });
  await registerOfficialWebhook(stack, instance);
  await writeToOfficialNumber(stack, phone);
  const sent = await sendOneOfEach(stack, instance);
  await using browser = await openPage(browserPath, { width: 1_360, height: 900 });
  const { page } = browser;
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.route("https://files.example.com/**", async (route) => {
    const isPicture = /\.(jpg|webp)$/.test(new URL(route.request().url()).pathname);
    await route.fulfill(
      isPicture ? { path: examplePicture } : { status: 200, contentType: "audio/mpeg", body: "" },
    );
  });
  await page.goto(stack.origin);
  await page.locator("#phone-list").getByText(shownPhone).first().click();
  for (const [name, id] of sent) {
    const bubble = page.locator(`#bubbles [data-message="${id}"]`);
    await bubble.scrollIntoViewIfNeeded();
    await bubble.screenshot({ path: `${folder}/${name}.png` });
  }
  if (browser.faults.length > 0) throw new Error(browser.faults.join("\n"));
}

/** Ids of the messages at the channel, by their type. */
async function sendOneOfEach(
  stack: LocalStack,
  instance: StackInstance,
): Promise<ReadonlyMap<string, string>> {
  const sent = new Map<string, string>();
  const { instanceId } = instance;
  // Templates and words about a payment have endpoints of their own; a reaction stands at a message.
  const { template: _template, payment_status: _status, reaction: _reaction, ...contents } =
    oneOfEachType;
  for (const content of Object.values<MessageContent>(contents)) {
    const body = { instanceId, phone, ...toRequest(content) };
    const answer = await stack.call(instance, "send-message", body);
    if (answer.status !== 200) throw new Error(JSON.stringify([content, answer]));
    sent.set(content.messageType, answer.body.providerMessageId);
  }
  const { reference } = contents.payment_request.payment;
  const path = `messages-api/payments/${reference}`;
  const told = await stack.call(instance, path, { instanceId, status: "paid", tell: true });
  if (told.status !== 200) throw new Error(JSON.stringify(told));
  const status = await waitUntil(
    async () =>
      (await stack.readSimulator(`messages?to=${phone}`))
        .find(({ messageType }) => messageType === "payment_status"),
    { what: "the words about the payment" },
  );
  sent.set("payment_status", status.providerMessageId);
  return sent;
}
