import {
  type OfEachSendable,
  oneOfEachType,
  toRequest,
} from "../support/fixtures/one_of_each_type.ts";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type SimulatorRecord,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import {
  officialNumber,
  registerOfficialWebhook,
  writeToOfficialNumber,
} from "../support/fixtures/official_customer.ts";
import { waitUntil } from "../support/wait_until.ts";

/** The instances' configurations, each sending to the stack's own simulator. */
const providers: Readonly<Record<string, (simulator: string) => Record<string, unknown>>> = {
  whatsapp_cloud: (simulator) => ({
    ...officialNumber,
    baseUrl: `${simulator}/graph`,
  }),
  zapi: (simulator) => ({
    baseUrl: `${simulator}/zapi`,
    gatewayInstanceId: "E2E",
    token: "end-to-end-token",
    webhookSecret: "end-to-end-webhook-secret-0001",
  }),
  evolution: (simulator) => ({
    baseUrl: `${simulator}/evolution`,
    instanceName: "e2e",
    apiKey: "end-to-end-api-key",
    webhookSecret: "end-to-end-webhook-secret-0002",
  }),
};

const { image, video, audio, document, sticker, voice, buttons } = oneOfEachType;

/** What a customer sees of a message of each type; null for one that no gateway has. */
const seenOfEach: OfEachSendable<SimulatorRecord | null> = {
  text: { text: "Olá" },
  image: { mediaUrl: image.mediaUrl, text: "Veja" },
  video: { mediaUrl: video.mediaUrl, text: "Veja" },
  audio: { mediaUrl: audio.mediaUrl },
  document: { mediaUrl: document.mediaUrl, fileName: "Oferta.pdf" },
  option_list: { text: "Quando?" },
  sticker: { mediaUrl: sticker.mediaUrl },
  voice: { mediaUrl: voice.mediaUrl },
  location: { text: null },
  contacts: { text: null },
  buttons: { mediaUrl: buttons.mediaUrl },
  link_button: { text: "Seu pedido" },
  location_request: null,
  contact_request: null,
  // Z-API alone has a form of its own; elsewhere it is a text.
  payment_request: null,
  // It is to a message that is there already.
  reaction: null,
};

for (const usesDataApi of [false, true]) {
  const transport = usesDataApi ? "over the Data API" : "directly";

  Deno.test(`the stack with its database reached ${transport} does what the API promises`, async (test) => {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    await using stack = await startLocalStack({
      dataDir: folder.path,
      databaseUrl: database.url,
      usesDataApi,
    });
    const { workspaceId } = await stack.administer("workspaces", { name: "Empresa" });

    for (const [provider, configure] of Object.entries(providers)) {
      await test.step(`all message types reach a customer over ${provider}`, async () => {
        const providerConfig = configure(`${stack.origin}/simulator`);
        const instance = await stack.createInstance({ workspaceId, provider, providerConfig });
        await sendEveryType(stack, instance, provider);
      });
    }

    const instance = await stack.createInstance({
      workspaceId,
      provider: "zapi",
      providerConfig: {
        ...providers["zapi"]?.(`${stack.origin}/simulator`),
        gatewayInstanceId: "E2E-CALLS",
      },
    });

    await test.step("an unknown function and an unknown path of one answer in the error form of all", async () => {
      for (const path of ["no-such-function", "no-such-function/x", "messages-api/no/such/path"]) {
        const response = await fetch(`${stack.origin}/functions/v1/${path}`);
        const { message, ...body } = await response.json();
        const docs = `${stack.origin}/functions/v1/api-docs/errors.md#not_found`;
        assertEquals([response.status, body], [
          404,
          { success: false, error: "not_found", docs },
        ], path);
        assert(typeof message === "string" && message !== "", path);
        assertMatch(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/, path);
      }
    });

    await test.step("a 404 says which prefix the path lacks", async () => {
      const paths: readonly (readonly [string, RegExp])[] = [
        ["/contacts-api/contacts", /\/functions\/v1\/contacts-api\b/],
        ["/functions/v1/contacts", /\/functions\/v1\/contacts-api\b/],
        ["/functions/v1/contacts-api", /has .*\/functions\/v1\/contacts-api\/contacts\b/],
        ["/functions/v1/send-message/x", /send-message has \/functions\/v1\/send-message\.$/],
      ];
      for (const [path, wanted] of paths) {
        const response = await fetch(`${stack.origin}${path}`);
        const { error, message } = await response.json();
        assertEquals([response.status, error], [404, "not_found"], path);
        assertMatch(message, wanted, path);
      }
    });

    await test.step("the printed curl line sends a message", async () => {
      const { status, body } = await runPrintedCall(stack);
      assertEquals([status, body.success, body.mode], [200, true, "sent"]);
      const [seen] = await stack.readSimulator("messages?to=5511988887777");
      assertEquals(seen?.["providerMessageId"], body.providerMessageId);
    });

    await test.step("a queued and a scheduled message leave by themselves", async () => {
      const phone = "5511977770001";
      const text = { instanceId: instance.instanceId, phone, messageType: "text" };
      const calls = [
        { ...text, message: "na fila", queued: true },
        { ...text, message: "depois", delayMessage: 0.5 },
      ];
      const answers = [];
      for (const call of calls) answers.push(await stack.call(instance, "send-message", call));
      assertEquals(answers.map(({ body }) => body.mode), ["queued", "scheduled"]);
      await waitUntil(
        async () => (await stack.readSimulator(`messages?to=${phone}`)).length === 2,
        { what: "both messages" },
      );
      for (const { body } of answers) await untilStatus(stack, instance, body.messageId, "sent");
    });

    await test.step("60 simultaneous queued calls get 60 slots one interval apart", async () => {
      await sendBurst(stack, instance);
    });

    await test.step("an assignment e-mails its operator the link to the conversation", async () => {
      const email = "carla@example.com";
      await stack.administer("operators", { workspaceId, name: "Carla", email });
      const phone = "5511977770002";
      const assigned = await stack.call(instance, "conversations-api/assign", {
        instanceId: instance.instanceId,
        phone,
        assignTo: email,
      });
      assertEquals([assigned.status, assigned.body.transferred], [200, false]);
      const mail = await waitUntil(
        async () => (await stack.readSimulator(`emails?to=${email}`))[0],
        { what: "the e-mail" },
      );
      assertMatch(String(mail["html"] ?? mail["text"]), /\/c\/chat\/551140001234\/5511977770002/);
    });

    await test.step("contacts, notes and statuses are kept, phones are stripped", async () => {
      const about = { instanceId: instance.instanceId, phone: "5511977770003" };
      const created = await stack.call(instance, "contacts-api/create", {
        ...about,
        name: "Davi",
        tags: ["VIP"],
      });
      assertEquals([created.body.action, created.body.tagsApplied], ["created", ["VIP"]]);
      const variant = await stack.call(instance, "contacts-api/update", {
        ...about,
        phone: "551177770003",
        name: "Davi Luz",
      });
      assertEquals(variant.body.contactId, created.body.contactId);
      const noted = await stack.call(instance, "conversations-api/status", {
        ...about,
        status: "pending",
        internalNote: "Ligar amanhã",
      });
      assertEquals([noted.body.status, noted.body.noteAdded], ["pending", true]);
      const phone = "+55 (11) 97777-0003";
      const { body } = await stack.call(instance, "sanitize-phone-number", { phone });
      assertEquals(body, { success: true, original: phone, sanitized: "5511977770003" });
    });

    await test.step("a token of another instance opens nothing", async () => {
      const stranger = { ...instance, token: `${instance.token}x` };
      const { status, body } = await stack.call(stranger, "contacts-api/create", {
        instanceId: instance.instanceId,
        phone: "5511977770004",
      });
      assertEquals([status, body.error], [401, "invalid_client_token"]);
    });
  });
}

async function sendEveryType(
  stack: LocalStack,
  instance: StackInstance,
  provider: string,
): Promise<void> {
  const phone = `55119${provider.length}6660001`;
  if (provider === "whatsapp_cloud") {
    await registerOfficialWebhook(stack, instance);
    await writeToOfficialNumber(stack, phone);
  }
  for (const [messageType, expected] of Object.entries(seenOfEach)) {
    if (expected === null) continue;
    const content = oneOfEachType[messageType as keyof typeof seenOfEach];
    const { status, body } = await stack.call(instance, "send-message", {
      instanceId: instance.instanceId,
      phone,
      ...toRequest(content),
    });
    assertEquals([status, body.success, body.status], [200, true, "sent"], JSON.stringify(body));
    const seen = (await stack.readSimulator(`messages?provider=${provider}&to=${phone}`)).at(-1);
    assert(seen !== undefined);
    assertEquals(seen["providerMessageId"], body.providerMessageId);
    const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, seen[key]]));
    // Gateways send every sound as a voice message.
    const shown = messageType === "voice" && provider !== "whatsapp_cloud" ? "audio" : messageType;
    assertEquals([seen["messageType"], actual], [shown, expected]);
    if (messageType === "option_list") {
      const titles = seen["optionList"].options.map((option: { title: string }) => option.title);
      assertEquals(titles, ["Manhã", "Tarde"]);
    }
    // Where a webhook is registered the phone reports its arrival.
    const settled = provider === "whatsapp_cloud" ? "delivered" : "sent";
    await untilStatus(stack, instance, body.messageId, settled);
  }
}

/** Reads the curl line that the stack printed and makes its call. */
async function runPrintedCall(
  stack: LocalStack,
): Promise<{ status: number; body: SimulatorRecord }> {
  const line = /^curl -X POST (\S+) (.*) -d '(.*)'$/m.exec(stack.output());
  assert(line !== null, stack.output());
  const [, url = "", headers = "", body = ""] = line;
  const pairs = [...headers.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = "", value = ""]) =>
    [name, value] as [string, string]
  );
  const response = await fetch(url, { method: "POST", headers: pairs, body });
  return { status: response.status, body: await response.json() };
}

/** A call that a busy machine cannot serve in time is repeated under its key, as a client does. */
async function sendBurst(stack: LocalStack, instance: StackInstance): Promise<void> {
  const intervalSeconds = 20;
  const calls = Array.from({ length: 60 }, (_, number) =>
    waitUntil(async () => {
      const answer = await stack.call(instance, "send-message", {
        instanceId: instance.instanceId,
        phone: `5511955${String(number).padStart(6, "0")}`,
        messageType: "text",
        message: `Aviso ${number}`,
        queued: true,
        intervalSeconds,
      }, { "idempotency-key": `burst-${number}` });
      return ![409, 503].includes(answer.status) && answer;
    }, { what: `call ${number}` }));
  const answers = await Promise.all(calls);
  assertEquals(answers.filter(({ status }) => status !== 200), []);
  const slots = answers.map(({ body }) => Date.parse(body.scheduledFor)).sort((a, b) => a - b);
  const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));
  assertEquals(gaps, Array.from({ length: 59 }, () => intervalSeconds * 1_000));
}

async function untilStatus(
  stack: LocalStack,
  instance: StackInstance,
  messageId: string,
  status: string,
): Promise<void> {
  await waitUntil(async () => {
    const { body } = await stack.call(instance, `messages-api/messages/${messageId}`);
    return body.status === status;
  }, { what: `the status ${status} of ${messageId}` });
}
