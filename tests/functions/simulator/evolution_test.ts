import { createAddress } from "../../../supabase/local/simulator/evolution/messages.ts";
import { assert, assertEquals, assertMatch, assertObjectMatch } from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";

const path = "/evolution/message/sendText/shop";
const body = { number: "5511912345678", text: "Hello" };
const key = { apikey: "K" };

Deno.test("Evolution answers 201 with the message object", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post(path, body, key);
  assertEquals(status, 201);
  assertObjectMatch(json as object, {
    key: { remoteJid: "5511912345678@s.whatsapp.net", fromMe: true },
    status: "PENDING",
    message: { conversation: "Hello" },
    messageType: "conversation",
  });
  assertMatch((json as { key: { id: string } }).key.id, /^3EB0[0-9A-F]{18}$/);
});

Deno.test("Evolution names the same instance by the same UUID", async () => {
  await using server = startSimulator();
  const [first, second] = await Promise.all([1, 2].map(() => server.post(path, body, key)));
  const { instanceId } = first?.json as { instanceId: string };
  assertMatch(instanceId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assertEquals((second?.json as { instanceId: string }).instanceId, instanceId);
});

Deno.test("Evolution refuses a call without apikey with 401", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post(path, body);
  assertEquals(status, 401);
  assertObjectMatch(json as object, { status: 401, error: "Unauthorized" });
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("Evolution sleeps the typing delay inside the request and records it", async () => {
  await using server = startSimulator();
  const startedAt = performance.now();
  await server.post(path, { ...body, delay: 150 }, key);
  assert(performance.now() - startedAt >= 149, "answered before the delay was over");
  assertEquals((await server.read("/messages")).items[0]?.typingMs, 150);
});

Deno.test("Evolution reports all validation errors at once, as sentences", async () => {
  await using server = startSimulator();
  const wrong: readonly (readonly [string, unknown, string[]])[] = [
    ["sendText", {}, [
      'instance requires property "number"',
      'instance requires property "text"',
    ]],
    [
      "sendMedia",
      { number: body.number, mediatype: "image", media: "data:image/png;base64,AA==" },
      [
        "media Owned media must be a url or base64",
      ],
    ],
    ["sendList", {
      number: body.number,
      title: "t",
      buttonText: "b",
      sections: [{ title: "s", rows: [{ title: "r" }] }],
    }, [
      'instance requires property "footerText"',
      'instance.sections.0.rows.0 requires property "rowId"',
    ]],
  ];
  for (const [verb, wrongBody, sentences] of wrong) {
    const { status, json } = await server.post(`/evolution/message/${verb}/shop`, wrongBody, key);
    assertEquals(status, 400);
    assertEquals(json, { status: 400, error: "Bad Request", response: { message: [sentences] } });
  }
});

Deno.test("Evolution answers that an impossible number does not exist", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post(path, { ...body, number: "123" }, key);
  assertEquals(status, 400);
  assertObjectMatch(json as object, { response: { message: [{ exists: false, number: "123" }] } });
});

Deno.test("Evolution sends to its own form of Brazilian, Mexican and Argentine mobiles", () => {
  assertEquals(createAddress("5531987654321"), "553187654321");
  assertEquals(createAddress("5511987654321"), "5511987654321");
  assertEquals(createAddress("5531961234567"), "5531961234567");
  assertEquals(createAddress("5215512345678"), "525512345678");
  assertEquals(createAddress("5491123456789"), "541123456789");
  assertEquals(createAddress("351912345678@s.whatsapp.net"), "351912345678");
});
