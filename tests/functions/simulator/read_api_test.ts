import { assertEquals, assertObjectMatch } from "../../support/assert.ts";
import { BoundedLog } from "../../../supabase/local/simulator/bounded_log.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

async function sendTwoEach(server: SimulatorServer): Promise<void> {
  for (const message of ["one", "two"]) {
    await server.post("/zapi/instances/3A1/token/T0/send-text", {
      phone: "5511912340001",
      message,
    });
    await server.post(
      "/evolution/message/sendText/shop",
      { number: "5531987654321", text: message },
      { apikey: "K" },
    );
  }
}

Deno.test("messages can be read by provider, instance and recipient in either form", async () => {
  await using server = startSimulator({ now: () => new Date("2026-03-01T12:00:00Z") });
  await sendTwoEach(server);
  const queries: readonly (readonly [string, number])[] = [
    ["", 4],
    ["?provider=zapi", 2],
    ["?provider=whatsapp_cloud", 0],
    ["?instance=shop", 2],
    ["?to=5531987654321", 2],
    ["?to=553187654321", 2],
    ["?to=5511912340001&provider=evolution", 0],
  ];
  for (const [query, total] of queries) {
    assertEquals([query, (await server.read(`/messages${query}`)).total], [query, total]);
  }
  const { items } = await server.read("/messages?provider=zapi");
  assertObjectMatch(items[0] ?? {}, { text: "one", receivedAt: "2026-03-01T12:00:00.000Z" });
});

Deno.test("after continues from a seq without gap or repetition; without it the newest records come", async () => {
  await using server = startSimulator();
  await sendTwoEach(server);
  const all = (await server.read("/messages")).items.map((item) => Number(item.seq));
  const read: number[] = [];
  for (let after = 0;;) {
    const { items } = await server.read(`/messages?after=${after}&limit=1`);
    const last = items.at(-1);
    if (last === undefined) break;
    after = Number(last.seq);
    read.push(after);
  }
  assertEquals(read, all);
  const newest = await server.read("/messages?limit=1");
  assertEquals([newest.items[0]?.seq, newest.total], [all.at(-1), 4]);
});

Deno.test("clearing one log leaves the others, and seq goes on", async () => {
  await using server = startSimulator();
  await sendTwoEach(server);
  await server.post(
    "/resend/emails",
    { from: "a@example.com", to: "b@example.com", subject: "s", text: "t" },
    { Authorization: "Bearer re" },
  );
  assertEquals((await server.read("/messages", "DELETE")).deleted, 4);
  assertEquals((await server.read("/messages")).total, 0);
  assertEquals((await server.read("/emails?to=B@example.com")).total, 1);
  await sendTwoEach(server);
  assertEquals((await server.read("/messages?after=5")).total, 4);
});

Deno.test("an invalid query is refused", async () => {
  await using server = startSimulator();
  for (const query of ["limit=0", "limit=x", "after=-1", "provider=telegram"]) {
    const response = await fetch(`${server.url}/messages?${query}`);
    await response.body?.cancel();
    assertEquals([query, response.status], [query, 400]);
  }
});

Deno.test("a log keeps the newest and forgets the oldest", () => {
  const log = new BoundedLog<{ seq: number }>(3);
  for (let seq = 1; seq <= 5; seq++) log.add({ seq });
  assertEquals(log.read({ limit: 10 }), { items: [{ seq: 3 }, { seq: 4 }, { seq: 5 }], total: 3 });
});

Deno.test("the store keeps the newest 5,000 messages", async () => {
  await using server = startSimulator();
  const [message] = (await sendTwoEach(server),
    server.simulator.store.logs.messages.read({
      limit: 1,
    }).items);
  if (message === undefined) throw new Error("nothing was kept");
  for (let count = 0; count < 5_000; count++) server.simulator.store.addMessage({ ...message });
  const { items, total } = await server.read("/messages?limit=5000");
  assertEquals([items.length, total], [5_000, 5_000]);
});

Deno.test("the simulator reports flaws in its own words, never in a library's", async () => {
  await using server = startSimulator();
  const zapi = "/zapi/instances/A/token/B/send-text";
  const refusals = [
    await server.post("/faults", { provider: "telegram", kind: 5, times: 0 }),
    await server.post("/faults", { provider: "zapi", kind: "reject", times: 1e9 }),
    await server.post("/replies", { provider: "zapi", instance: 5, content: { messageType: "x" } }),
    await server.post("/readings", { provider: "zapi" }),
    await server.post("/webhooks", { provider: "zapi", instance: "A", url: 5 }),
    await server.post("/template-reviews", { templateId: 5 }),
    await server.post(zapi, { phone: 5 }),
    await server.post("/evolution/message/sendText/A", { number: 5 }, { apikey: "any" }),
  ];
  for (const { status, json } of refusals) {
    assertEquals(status, 400, JSON.stringify(json));
    const words = JSON.stringify(json);
    assertEquals(/expected|received|Too (?:big|small)|Invalid (?:input|option)/.exec(words), null);
  }
  assertEquals(refusals[3]?.json, {
    error: "invalid_request",
    issues: [
      { path: "instance", message: "is required" },
      { path: "waId", message: "is required" },
    ],
  });
});
