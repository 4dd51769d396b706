/**
 * The customer service window of the official channel: free text needs a recent customer message.
 */
import { whatsappCloud } from "../../../supabase/local/simulator/whatsapp_cloud/channel.ts";
import { assertEquals, assertMatch, assertObjectMatch } from "../../support/assert.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const instance = "106540352242922";
const waId = "5511988887777";
const bearer = { Authorization: "Bearer T" };
const hour = 3_600_000;

function sendText(server: SimulatorServer, to = waId): ReturnType<SimulatorServer["post"]> {
  return server.post(`/graph/v23.0/${instance}/messages`, {
    messaging_product: "whatsapp",
    to,
    type: "text",
    text: { body: "Olá" },
    biz_opaque_callback_data: "send-1",
  }, bearer);
}

function registerWebhook(server: SimulatorServer, url: string): void {
  const secrets = { appSecret: "s", verifyToken: "t" };
  const webhook = { provider: "whatsapp_cloud", instance, url, ...secrets } as const;
  server.simulator.webhooks.register(whatsappCloud, webhook);
}

Deno.test("free text to a customer who never wrote is refused with 131047, and does not arrive", async () => {
  await using server = startSimulator();
  const { status, json } = await sendText(server);
  assertEquals(status, 400);
  assertObjectMatch(json as object, {
    error: { code: 131047, message: "(#131047) Re-engagement message" },
  });
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("what goes by Direct Send needs no window, is a text or interactive, and is refused as it is told", async () => {
  await using server = startSimulator();
  const send = (members: object): ReturnType<SimulatorServer["post"]> =>
    server.post(`/graph/v23.0/${instance}/messages`, {
      messaging_product: "whatsapp",
      to: waId,
      type: "text",
      text: { body: "Olá" },
      ...members,
    }, bearer);
  assertEquals((await send({ category: "utility", ttl_seconds: 600 })).status, 200);
  assertEquals((await server.read("/messages")).total, 1);
  const location = { type: "location", location: { latitude: 1, longitude: 2 } };
  const faulty = [{ ttl_seconds: 600 }, { category: "utility", ...location }];
  for (const members of faulty) {
    assertObjectMatch((await send(members)).json as object, { error: { code: 100 } });
  }
  await server.post("/faults", { provider: "whatsapp_cloud", kind: "reject", code: 139200 });
  assertObjectMatch((await send({ category: "utility" })).json as object, {
    error: { code: 139200, message: "(#139200) No access to Direct Send" },
  });
});

Deno.test("a customer's message opens the window for 24 hours, on this number and for every form of the customer's", async () => {
  let nowMs = Date.parse("2026-11-20T12:00:00Z");
  await using server = startSimulator({ now: () => new Date(nowMs) });
  server.writeAsCustomer({ instance: "another-number", waId });
  assertEquals((await sendText(server)).status, 400, "that was another number");
  server.writeAsCustomer({ instance, waId });
  assertEquals((await sendText(server)).status, 200);
  assertEquals((await sendText(server, "551188887777")).status, 200, "without the ninth digit");
  assertEquals((await sendText(server, "5511988887778")).status, 400, "somebody else");
  await server.read("/replies", "DELETE");
  nowMs += 24 * hour - 1;
  assertEquals((await sendText(server)).status, 200, "a cleared log closes no window");
  nowMs += 1;
  assertEquals((await sendText(server)).status, 400, "24 hours later");
});

Deno.test("with a webhook 131047 is reported as Meta does: accepted first, then the status failed", async () => {
  await using server = startSimulator();
  await using receiver = startHttpDouble(() => new Response());
  registerWebhook(server, receiver.baseUrl);
  const { status, json } = await sendText(server);
  assertEquals(status, 200);
  const [{ id }] = (json as { messages: [{ id: string }] }).messages;
  await waitUntil(() => receiver.requests.length === 1, { what: "the status" });
  // deno-lint-ignore no-explicit-any -- the event is Meta's
  const event = receiver.requests[0]?.json as any;
  assertEquals(event.entry[0].changes[0].field, "messages");
  const reported = event.entry[0].changes[0].value.statuses[0];
  assertObjectMatch(reported, {
    id,
    status: "failed",
    recipient_id: waId,
    biz_opaque_callback_data: "send-1",
    errors: [{ code: 131047, title: "Re-engagement message" }],
  });
  assertMatch(reported.errors[0].error_data.details, /more than 24 hours/);
  assertEquals((await server.read("/messages")).total, 0, "no phone has it");
  assertObjectMatch((await server.read("/statuses")).items[0] ?? {}, {
    status: "failed",
    failure: { code: 131047 },
  });
});

Deno.test("a conversation that ended yesterday has a closed window", async () => {
  await using server = startSimulator();
  await using receiver = startHttpDouble(() => new Response());
  registerWebhook(server, receiver.baseUrl);
  const content = { messageType: "text", text: "Oi" };
  const reply = { provider: "whatsapp_cloud", instance, waId, content };
  const writtenAt = new Date(Date.now() - 25 * hour).toISOString();
  assertEquals((await server.post("/replies", { ...reply, writtenAt })).status, 201);
  await sendText(server);
  await waitUntil(async () => (await server.read("/statuses")).total === 1, {
    what: "its failure",
  });
  await server.post("/replies", reply);
  await sendText(server);
  assertEquals((await server.read("/messages")).total, 1);
  const tomorrow = new Date(Date.now() + hour).toISOString();
  assertEquals((await server.post("/replies", { ...reply, writtenAt: tomorrow })).status, 400);
});
