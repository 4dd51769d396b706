import { listWhatsappCloudTemplates } from "../../../shared/providers/whatsapp_cloud/template_list.ts";
import { assert, assertEquals, assertMatch, assertObjectMatch } from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";

const path = "/graph/v23.0/106540352242922/messages";
const customer = { instance: "106540352242922", waId: "5511912345678" };
const bearer = { Authorization: "Bearer T" };
const envelope = { messaging_product: "whatsapp", to: "5511912345678" };
const text = { ...envelope, type: "text", text: { body: "Hello" } };

function buildList(rows: readonly object[], sectionTitle = "Menu"): object {
  const action = { button: "Choose", sections: [{ title: sectionTitle, rows }] };
  const interactive = { type: "list", body: { text: "Which one?" }, action };
  return { ...envelope, type: "interactive", interactive };
}

Deno.test("the Cloud API answers contacts and messages, and keeps the caller's own id", async () => {
  await using server = startSimulator();
  server.writeAsCustomer(customer);
  const sent = { ...text, to: "+55 11 91234-5678", biz_opaque_callback_data: "send-1" };
  const { status, json } = await server.post(path, sent, bearer);
  assertEquals(status, 200);
  assertObjectMatch(json as object, {
    messaging_product: "whatsapp",
    contacts: [{ input: "+55 11 91234-5678", wa_id: "5511912345678" }],
    messages: [{ message_status: "accepted" }],
  });
  const { items } = await server.read("/messages");
  assertMatch(String(items[0]?.providerMessageId), /^wamid\.\S+$/);
  assertObjectMatch(items[0] ?? {}, {
    to: "5511912345678",
    instance: "106540352242922",
    correlationId: "send-1",
    body: sent,
  });
});

Deno.test("the Cloud API refuses a call without a bearer token with 401 and code 190", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post(path, text);
  assertEquals(status, 401);
  assertObjectMatch(json as object, { error: { type: "OAuthException", code: 190 } });
});

Deno.test("the Cloud API refuses bad parameters with Meta's code and body, and keeps nothing", async () => {
  await using server = startSimulator();
  const row = { id: "1", title: "One" };
  const image = { link: "https://files.example.com/a.jpg" };
  const template = { name: "order_update", language: { code: "pt_BR" } };
  const wrong: readonly (readonly [string, object, number])[] = [
    ["no product", { ...text, messaging_product: undefined }, 100],
    ["no recipient", { ...text, to: undefined }, 100],
    ["unknown type", { ...text, type: "telegram" }, 100],
    ["content of another type", { ...text, type: "image" }, 100],
    ["caption on audio", { ...envelope, type: "audio", audio: { ...image, caption: "a" } }, 100],
    ["text without body", { ...text, text: {} }, 131008],
    ["text too long", { ...text, text: { body: "a".repeat(4_097) } }, 131009],
    ["both id and link", { ...envelope, type: "image", image: { ...image, id: "1" } }, 131009],
    ["caption too long", {
      ...envelope,
      type: "image",
      image: { ...image, caption: "a".repeat(1_025) },
    }, 131009],
    ["row title too long", buildList([{ id: "1", title: "a".repeat(25) }]), 131009],
    ["row without id", buildList([{ title: "One" }]), 131008],
    ["same row id twice", buildList([row, row]), 131009],
    [
      "eleven rows",
      buildList(Array.from({ length: 11 }, (_, index) => ({ id: `${index}`, title: "a" }))),
      131009,
    ],
    ["section title too long", buildList([row], "a".repeat(25)), 131009],
    [
      "template without language",
      { ...envelope, type: "template", template: { name: "a" } },
      131008,
    ],
    ["upper case component", {
      ...envelope,
      type: "template",
      template: { ...template, components: [{ type: "BODY", parameters: [] }] },
    }, 131009],
    ["empty template value", {
      ...envelope,
      type: "template",
      template: {
        ...template,
        components: [{ type: "body", parameters: [{ type: "text", text: "" }] }],
      },
    }, 131009],
  ];
  for (const [name, body, code] of wrong) {
    const { status, json } = await server.post(path, body, bearer);
    const { error } = json as {
      error: { code: number; message: string; fbtrace_id: string; error_data: { details: string } };
    };
    assertEquals([name, status, error.code], [name, 400, code]);
    assert(error.message.startsWith(`(#${code})`) && error.fbtrace_id !== "", name);
    assert(error.error_data.details.length > 0, name);
  }
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("the Cloud API accepts exactly the longest text and ten rows", async () => {
  await using server = startSimulator();
  server.writeAsCustomer(customer);
  const rows = Array.from({ length: 10 }, (_, index) => ({
    id: `${index}`,
    title: "a".repeat(24),
    description: "b".repeat(72),
  }));
  const longest = { ...text, text: { body: "a".repeat(4_096) } };
  assertEquals((await server.post(path, longest, bearer)).status, 200);
  assertEquals((await server.post(path, buildList(rows, "a".repeat(24)), bearer)).status, 200);
});

Deno.test("the Cloud API answers code 100, subcode 33 for an unknown object", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post("/graph/106540352242922/messages", text, bearer);
  assertEquals(status, 400);
  assertObjectMatch(json as object, { error: { code: 100, error_subcode: 33 } });
});

Deno.test("the Cloud API accepts a read receipt with typing and stores it apart from the messages", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post(path, {
    messaging_product: "whatsapp",
    status: "read",
    message_id: "wamid.ABC",
    typing_indicator: { type: "text" },
  }, bearer);
  assertEquals([status, json], [200, { success: true }]);
  assertEquals((await server.read("/messages")).total, 0);
  const { items } = await server.read("/read-receipts");
  assertObjectMatch(items[0] ?? {}, { providerMessageId: "wamid.ABC", typingShown: true });
});

Deno.test("a planned Meta code comes with its documented status and title", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "whatsapp_cloud", kind: "reject", code: 132001 });
  const { status, json } = await server.post(path, text, bearer);
  assertEquals(status, 404);
  assertObjectMatch(json as object, {
    error: { code: 132001, message: "(#132001) Template name does not exist in the translation" },
  });
});

Deno.test("the account's templates are listed in pages to callers with a token", async () => {
  await using server = startSimulator();
  const listUrl = `${server.url}/graph/v23.0/10229/message_templates`;
  const refused = await fetch(listUrl);
  assertEquals([refused.status, (await refused.json()).error.code], [401, 190]);
  const config = {
    baseUrl: `${server.url}/graph`,
    accessToken: "token",
    appSecret: "secret",
    verifyToken: "verify",
    wabaId: "10229",
  };
  const listing = await listWhatsappCloudTemplates(config, {
    instanceId: crypto.randomUUID(),
    timeoutMs: 60_000,
    totalTimeoutMs: 60_000,
  });
  assert(listing.outcome === "listed");
  const names = listing.templates.map(({ name }) => name);
  assertEquals(names, ["pedido_enviado", "lembrete_consulta", "catalogo", "promocao"]);
  const paged: string[] = [];
  let after = "";
  for (let isLast = false; !isLast;) {
    const response = await fetch(`${listUrl}?limit=3&after=${after}`, {
      headers: bearer,
    });
    const { data, paging } = await response.json();
    paged.push(...data.map(({ name }: { name: string }) => name));
    after = paging.cursors.after;
    isLast = paging.next === undefined;
  }
  assertEquals(paged, names);
});
