import { assertEquals, assertMatch, assertObjectMatch } from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";

const path = "/zapi/instances/3A1/token/T0/send-text";
const body = { phone: "5511912345678", message: "Hello" };

Deno.test("Z-API answers zaapId, messageId and id, the last two alike", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post(path, body);
  const { zaapId, messageId, id } = json as Record<string, string>;
  assertEquals(status, 200);
  assertMatch(zaapId ?? "", /^[0-9A-F]{32}$/);
  assertMatch(messageId ?? "", /^[0-9A-F]{20}$/);
  assertEquals(id, messageId);
});

Deno.test("Z-API shows typing in its own unit: delayTyping seconds", async () => {
  await using server = startSimulator();
  await server.post(path, { ...body, delayTyping: 4 });
  assertEquals((await server.read("/messages")).items[0]?.typingMs, 4_000);
});

Deno.test("Z-API refuses a body that is not declared as JSON with 415", async () => {
  await using server = startSimulator();
  const { status } = await server.post(path, body, { "Content-Type": "text/plain" });
  assertEquals(status, 415);
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("Z-API with token security on wants the account's Client-Token on every call", async () => {
  await using server = startSimulator({ zapiClientToken: "account-token" });
  const bare = await server.post(path, body);
  assertEquals(bare.status, 403);
  assertEquals(bare.json, { error: "null not allowed" });
  assertEquals((await server.post(path, body, { "Client-Token": "other" })).status, 403);
  assertEquals((await server.post(path, body, { "Client-Token": "account-token" })).status, 200);
  assertEquals((await server.read("/messages")).total, 1);
});

Deno.test("Z-API names the missing or wrong field of a send and keeps nothing", async () => {
  await using server = startSimulator();
  const list = { title: "t", buttonLabel: "b", options: [] };
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ["send-text", { phone: body.phone }, /^message /],
    ["send-text", { ...body, phone: "+55 11 91234-5678" }, /^phone /],
    ["send-text", { ...body, delayTyping: 3_000 }, /^delayTyping /],
    ["send-image", { phone: body.phone }, /^image /],
    ["send-document/pdf", { phone: body.phone, document: "a.pdf" }, /^document /],
    ["send-option-list", { ...body, optionList: list }, /^optionList.options /],
    ["send-text", "not json", /./],
  ];
  for (const [verb, wrongBody, error] of wrong) {
    const { status, json } = await server.post(`/zapi/instances/3A1/token/T0/${verb}`, wrongBody);
    assertEquals(status, 400, verb);
    assertMatch((json as { error: string }).error, error);
  }
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("Z-API answers 405 to another verb and 404 to an unknown path", async () => {
  await using server = startSimulator();
  const get = await fetch(`${server.url}${path}`);
  assertEquals([get.status, await get.json()], [405, { error: "Method Not Allowed" }]);
  const { status, json } = await server.post("/zapi/instances/3A1/token/T0/send-smoke", body);
  assertEquals(status, 404);
  assertObjectMatch(json as object, { error: "NOT_FOUND" });
});
