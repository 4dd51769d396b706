import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { chooseAction, testConsole } from "../support/browser/console.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { simulatedInstances, webhookOf } from "../support/stack/simulated_instances.ts";
import { waitUntil } from "../support/wait_until.ts";

const phone = "5511944443333";
const optionList = {
  title: "Horários",
  buttonLabel: "Ver horários",
  options: [{ id: "m", title: "Manhã" }, { id: "t", title: "Tarde" }],
};

testConsole(
  "a conversation is held in the console: the agent opens, the customer answers, a person takes over",
  async ({ stack, demo, open }) => {
    await using browser = await open();
    const { page } = browser;
    const bubbles = page.locator("#bubbles");

    const opened = await stack.call(demo, "process-ai-agent", {
      instanceId: "demo",
      phone,
      messageText: "Oi, aqui é a Lia.",
      initiateConversation: true,
    });
    assertEquals(opened.status, 200);
    await bubbles.getByText("Oi, aqui é a Lia.").waitFor();

    await page.getByLabel("Answer", { exact: true }).fill("Quero remarcar, São João é feriado?");
    await page.keyboard.press("Enter");
    await bubbles.getByText("You wrote: “Quero remarcar, São João é feriado?”").waitFor();
    page.once("dialog", (dialog) => dialog.accept("Quero remarcar para sexta"));
    await chooseAction(bubbles.locator(".own"), "Edit");
    await bubbles.locator(".own").getByText("Quero remarcar para sexta").waitFor();
    await bubbles.locator(".own").getByText("edited", { exact: true }).waitFor();
    const feed = "events-api/events?after=oldest&types=message.edited";
    await waitUntil(async () => (await stack.call(demo, feed)).body.items.length === 1, {
      what: "the edit in the feed",
    });

    await page.getByText("Who writes, and attachments").click();
    await page.getByLabel("Written by").selectOption("company");
    await page.getByLabel("Answer", { exact: true }).fill("Aqui é a Ana, eu resolvo.");
    await page.getByRole("button", { name: "Send" }).click();
    await bubbles.getByText("Aqui é a Ana, eu resolvo.").waitFor();
    const pause = `conversations-api/agent-pause?instanceId=demo&phone=${phone}`;
    await waitUntil(async () => (await stack.call(demo, pause)).body.paused === true, {
      what: "the agent's pause",
    });

    const offered = await stack.call(demo, "send-message", {
      instanceId: "demo",
      phone,
      messageType: "option_list",
      message: "Quando?",
      optionList,
    });
    const minutes = (Date.parse(offered.body.aiAgentPausedUntil) - Date.now()) / 60_000;
    assert(minutes > 28 && minutes <= 30, `${minutes} minutes`);
    await bubbles.getByRole("button", { name: "Choose Tarde" }).click();
    await bubbles.locator(".own").getByText("Tarde", { exact: true }).waitFor();
    // Another customer writes later and is answered, so the silence here is no delay.
    const other = "5511933332222";
    const content = { messageType: "text", text: "E eu?" };
    const written = { provider: "zapi", instance: "DEMO", waId: other, content };
    assertEquals(await post(`${stack.origin}/simulator/replies`, written), 201);
    await waitUntil(
      async () => (await stack.readSimulator(`messages?to=${other}`)).length === 1,
      { what: "the other customer's answer" },
    );

    await page.getByRole("button", { name: "Mark as read" }).click();
    const { messageId } = offered.body;
    await waitUntil(
      async () =>
        (await stack.call(demo, `messages-api/messages/${messageId}`)).body.status === "read",
      { what: "the message to be read" },
    );
    await bubbles.getByText("read", { exact: true }).last().waitFor();

    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const context = await stack.call(
      demo,
      `messages-context?instanceId=demo&phone=${phone}&start=${yesterday}&end=${today}`,
    );
    const said = context.body.conversation.map((
      { role, content }: { role: string; content: string },
    ) => `${role}: ${content.split("\n")[0]}`);
    assertEquals(said.length, 6, said.join("\n"));
    assertEquals([said[0], said[1], said[3], said[5]], [
      "assistant: Oi, aqui é a Lia.",
      "user: Quero remarcar para sexta",
      "assistant: Aqui é a Ana, eu resolvo.",
      "user: Tarde",
    ]);
    assertMatch(said[2], /^assistant: Thank you/);
    assertMatch(said[4], /^assistant: Quando\?/);

    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assertEquals(overflow, 0, "the page does not scroll sideways at 360 px");
    assertEquals(browser.faults, []);
  },
);

Deno.test("a simulated phone answers, reads and is typed on in each provider's own format", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const { workspaceId } = await stack.administer("workspaces", { name: "Telefones" });
  for (const { provider, instance, config, registration, secret, baseUrl } of simulatedInstances) {
    const tenant = await stack.createInstance({
      workspaceId,
      provider,
      providerConfig: { ...config, baseUrl: `${stack.origin}/simulator/${baseUrl}` },
    });
    const url = webhookOf(stack, { provider, secret }, tenant);
    const act = (path: string, body: object): Promise<number> =>
      post(`${stack.origin}/simulator/${path}`, { provider, instance, waId: phone, ...body });
    const content = { messageType: "text", text: "Ção 🙂" };
    assertEquals(await act("replies", { content }), 409, "no webhook yet");
    assertEquals(await act("webhooks", { url, ...registration }), 201, provider);
    if (provider === "whatsapp_cloud") {
      const wrong = { ...registration, verifyToken: "another" };
      assertEquals(await act("webhooks", { url, ...wrong }), 400, "the challenge is not answered");
    }
    // On the official channel free text goes to a customer who has written.
    assertEquals(await act("replies", { content }), 201);
    await waitUntil(async () => (await readRaw(stack, tenant)).length === 1, {
      what: `${provider}: the first words`,
    });
    const { body: sent } = await stack.call(tenant, "send-message", {
      instanceId: tenant.instanceId,
      phone,
      messageType: "text",
      message: "Bom dia",
    });
    const replies = [
      { messageType: "list_choice", id: "t", title: "Tarde" },
      { messageType: "button_choice", id: "sim", title: "Sim" },
      { messageType: "document", mediaUrl: "https://example.com/a.pdf", text: "A conta" },
    ];
    for (const reply of replies) assertEquals(await act("replies", { content: reply }), 201);
    const typed = { content: { messageType: "text", text: "Da loja" }, writtenBy: "company" };
    assertEquals(await act("replies", typed), 201);
    assertEquals(await act("readings", {}), 200);
    await waitUntil(
      async () =>
        (await stack.call(tenant, `messages-api/messages/${sent.messageId}`)).body.status ===
          "read",
      { what: `${provider}: the message to be read` },
    );
    const rows = await readRaw(stack, tenant);
    assertEquals(
      rows.map(({ direction, messageType, choice }) => [direction, messageType, choice]),
      [
        ["inbound", "text", null],
        ["outbound", "text", null],
        ["inbound", "option_list", { id: "t", title: "Tarde" }],
        ["inbound", "choice", { id: "sim", title: "Sim" }],
        ["inbound", "document", null],
        ["outbound", "text", null],
      ],
      provider,
    );
    assertEquals(rows[0]?.message, "Ção 🙂", provider);
  }
});

interface RawRow {
  readonly direction: string;
  readonly messageType: string;
  readonly message: string | null;
  readonly choice: unknown;
}

async function readRaw(
  stack: LocalStack,
  tenant: { readonly instanceId: string; readonly token: string },
): Promise<readonly RawRow[]> {
  const day = (offset: number): string =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const { body } = await stack.call(
    tenant,
    `messages-context?instanceId=${tenant.instanceId}&phone=${phone}&start=${day(-1)}&end=${
      day(0)
    }&format=raw`,
  );
  return body.messages;
}

async function post(url: string, body: object): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.body?.cancel();
  return response.status;
}
