/** The simulated WAHA: its engines, its refusals, and the production adapter against it. */
import { type OfEachSendable, oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import type { MessageContent } from "../../../shared/model/message_content.ts";
import type { Provider } from "../../../shared/providers/provider.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { assert, assertEquals, assertObjectMatch } from "../../support/assert.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { signWahaBody } from "../../../supabase/local/simulator/waha/webhook.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const key = { "X-Api-Key": "K" };
const to = "5511912345678";
const chatId = `${to}@c.us`;
const body = { session: "loja", chatId, text: "Hello" };
const sendText = "/waha/api/sendText";
const options = { timeoutMs: 60_000 };
/** A session of each engine. */
const sessions = { WEBJS: "loja-webjs", NOWEB: "loja", GOWS: "loja-gows" } as const;

function open({ url }: SimulatorServer, session: string): Promise<Provider> {
  const config = factsOf.waha.simulated(url, session, "a-secret-of-32-characters-or-more");
  return registry.get("waha").open(config, crypto.randomUUID());
}

Deno.test("WAHA refuses a call without its key, an incomplete one by its fields, and an unknown path", async () => {
  await using server = startSimulator();
  const keyless = await server.post(sendText, body);
  assertEquals([keyless.status, keyless.json], [401, { message: "Unauthorized", statusCode: 401 }]);
  const flawed = await server.post(sendText, { session: "loja", chatId: to }, key);
  assertEquals(flawed.status, 400);
  assertObjectMatch(flawed.json as object, { error: "Bad Request", statusCode: 400 });
  const { message } = flawed.json as { message: string[] };
  assertEquals(message.map((flaw) => flaw.split(" ")[0]), ["chatId", "text"]);
  assertEquals((await server.post("/waha/api/sendPigeon", body, key)).status, 404);
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("WAHA answers a send in the form of the session's engine", async () => {
  await using server = startSimulator();
  const forms = {
    WEBJS: { id: { fromMe: true, remote: chatId } },
    NOWEB: { key: { remoteJid: `${to}@s.whatsapp.net`, fromMe: true } },
    GOWS: { _data: { Info: {} } },
  };
  for (const [engine, session] of Object.entries(sessions)) {
    const { status, json } = await server.post(sendText, { ...body, session }, key);
    assertEquals(status, 201);
    assertObjectMatch(json as object, forms[engine as keyof typeof forms]);
  }
});

const { image, video, audio, document, sticker, voice } = oneOfEachType;

/** What the customer sees of each kind; null for one that WAHA has not. */
const seenOfEach: OfEachSendable<Record<string, unknown> | null> = {
  text: { text: "Olá" },
  image: { mediaUrl: image.mediaUrl, text: "Veja" },
  video: { mediaUrl: video.mediaUrl, text: "Veja" },
  audio: { mediaUrl: audio.mediaUrl },
  document: { mediaUrl: document.mediaUrl, fileName: "Oferta.pdf", text: "Segue" },
  // WhatsApp has one kind of sound that is heard in the chat.
  voice: { messageType: "audio", mediaUrl: voice.mediaUrl },
  sticker: { mediaUrl: sticker.mediaUrl },
  location: { parts: { location: { latitude: -23.56, longitude: -46.65, name: "Loja" } } },
  contacts: { parts: { contacts: [{ name: "Ana", phones: ["+5511987654321"] }] } },
  option_list: { text: "Quando?", optionList: { title: "Horários", buttonLabel: "Ver" } },
  reaction: { parts: { reaction: { providerMessageId: "3EB0TARGET", emoji: "👍" } } },
  buttons: null,
  link_button: null,
  location_request: null,
  contact_request: null,
  payment_request: null,
};

for (const [engine, session] of Object.entries(sessions)) {
  for (const [messageType, seen] of Object.entries(seenOfEach)) {
    if (seen === null) continue;
    const isLacking = engine === "WEBJS" && messageType === "option_list";
    Deno.test(`WAHA, ${engine}: the adapter's ${messageType} is ${isLacking ? "refused, which the engine lacks" : "shown to the customer"}`, async () => {
      await using server = startSimulator();
      const provider = await open(server, session);
      const content: MessageContent = oneOfEachType[messageType as keyof typeof seenOfEach];
      const quoted = { quotedProviderMessageId: "3EB0TARGET", quotedIsOurs: true };
      const receipt = await provider.send(
        { messageId: crypto.randomUUID(), to, content, ...quoted },
        options,
      );
      const { items, total } = await server.read("/messages");
      if (isLacking) {
        assert(receipt.outcome === "rejected" && !receipt.retryable, JSON.stringify(receipt));
        assertEquals(total, 0);
        return;
      }
      assert(receipt.outcome === "accepted", JSON.stringify(receipt));
      assertObjectMatch(items[0] ?? {}, {
        messageType,
        ...seen,
        ...{ provider: "waha", instance: session, to, answer: "accepted" },
        providerMessageId: receipt.providerMessageId,
        replyTo: messageType === "reaction" ? null : "3EB0TARGET",
      });
    });
  }
}

/** Planned faults, the outcome that the adapter reads, and whether the message arrived. */
const faults: readonly (readonly [string, object, string, object, number])[] = [
  ["reject", {}, "rejected", { scope: "message", retryable: false }, 0],
  ["reject", { code: 463 }, "rejected", {
    scope: "recipient",
    retryable: false,
    code: "new_chat_locked",
  }, 0],
  ["rate_limit", { retryAfterSeconds: 7 }, "rejected", { retryAfterMs: 7_000 }, 0],
  ["server_error", {}, "unknown", {}, 0],
  ["server_error", { delivered: true }, "unknown", {}, 1],
  ["reset", {}, "unknown", {}, 1],
  ["garbage", {}, "unknown", {}, 1],
];

for (const [kind, members, outcome, told, arrived] of faults) {
  Deno.test(`WAHA with the fault ${kind} ${JSON.stringify(members)} gives the adapter's outcome ${outcome}`, async () => {
    await using server = startSimulator();
    await server.post("/faults", { provider: "waha", kind, ...members });
    const provider = await open(server, sessions.NOWEB);
    const content = { messageType: "text", message: "Hello" } as const;
    const receipt = await provider.send({ messageId: "own", to, content }, options);
    assertEquals<unknown>({ ...receipt, outcome, ...told }, receipt);
    assertEquals((await server.read("/messages")).total, arrived);
  });
}

Deno.test("WAHA shows edits, deletions, receipts and typing, and only WEBJS blocks", async () => {
  await using server = startSimulator();
  for (const [engine, session] of Object.entries(sessions)) {
    const provider = await open(server, session);
    const content = { messageType: "text", message: "às 10h" } as const;
    const sent = await provider.send({ messageId: "own", to, content }, options);
    assert(sent.outcome === "accepted");
    const { providerMessageId } = sent;
    const edited = { ...content, message: "às 11h" };
    const asked = [
      { action: "edit", to, providerMessageId, content: edited },
      { action: "mark_read", to, providerMessageIds: ["A"], showsTyping: false },
      { action: "show_typing", to, durationMs: 10 },
      { action: "delete", to, providerMessageId },
    ] as const;
    for (const action of asked) {
      assertEquals(await provider.act(action, options), { outcome: "done" }, action.action);
    }
    for (const action of ["block", "unblock"] as const) {
      const expected = engine === "WEBJS" ? "done" : "not_supported";
      assertEquals((await provider.act({ action, to }, options)).outcome, expected);
    }
    const unknown = { action: "delete", to, providerMessageId: "NONE" } as const;
    assertEquals((await provider.act(unknown, options)).outcome, "unknown");
  }
  const { items } = await server.read("/changes");
  assertEquals(items.map(({ change, text }) => [change, text]), [
    ...["edited", "deleted"].map((change) => [change, change === "edited" ? "às 11h" : null]),
    ...["edited", "deleted"].map((change) => [change, change === "edited" ? "às 11h" : null]),
    ...["edited", "deleted"].map((change) => [change, change === "edited" ? "às 11h" : null]),
  ]);
});

Deno.test("WAHA signs what it tells, and a lost session refuses sends until it is back", async () => {
  await using server = startSimulator();
  const told: { readonly headers: Headers; readonly body: string }[] = [];
  await using receiver = startTestServer(async (request) => {
    told.push({ headers: request.headers, body: await request.text() });
    return new Response();
  });
  const webhook = { provider: "waha", instance: "loja", url: receiver.origin };
  assertEquals((await server.post("/webhooks", webhook)).status, 400, "it needs the key");
  const webhookKey = "the-key-of-the-webhook-of-loja";
  const config = {
    webhooks: [{ url: receiver.origin, events: ["session.status"], hmac: { key: webhookKey } }],
  };
  const session = await server.post("/waha/api/sessions", { name: "loja", config }, key);
  assertEquals(session.status, 201);
  for (const state of ["disconnected", "connected"]) {
    await server.post("/connections", { provider: "waha", instance: "loja", state });
    const { status } = await server.post(sendText, body, key);
    assertEquals(status, state === "connected" ? 201 : 422);
  }
  await waitUntil(() => told.length >= 2, { what: "both states" });
  for (const { headers, body: bytes } of told) {
    assertEquals(headers.get("x-webhook-hmac-algorithm"), "sha512");
    const signature = await signWahaBody(new TextEncoder().encode(bytes), webhookKey);
    assertEquals(headers.get("x-webhook-hmac"), signature);
  }
  const statuses = told.slice(0, 2).map(({ body: bytes }) => JSON.parse(bytes).payload.status);
  assertEquals(statuses, ["FAILED", "WORKING"]);
});
