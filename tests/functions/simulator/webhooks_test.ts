import { escapeJson } from "../../../supabase/local/simulator/whatsapp_cloud/webhook.ts";
import { assertEquals } from "../../support/assert.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startSimulator } from "./simulator_server.ts";

const phone = "5511944443333";

Deno.test("Meta signs the bytes it sends: ASCII only, other characters escaped in lower case", () => {
  assertEquals(escapeJson({ text: "Ção 🙂\n" }), '{"text":"\\u00c7\\u00e3o \\ud83d\\ude42\\n"}');
});

Deno.test("an event that is not accepted is retried, in its order; one that is refused is not", async () => {
  await using simulator = startSimulator();
  await using receiver = startHttpDouble(() =>
    new Response(null, { status: receiver.requests.length === 1 ? 503 : 200 })
  );
  await simulator.post("/webhooks", { provider: "zapi", instance: "A", url: receiver.baseUrl });
  for (const text of ["um", "dois"]) {
    const content = { messageType: "text", text };
    await simulator.post("/replies", { provider: "zapi", instance: "A", waId: phone, content });
  }
  await waitUntil(() => receiver.requests.length === 3, { what: "three calls" });
  const texts = receiver.requests.map(({ json }) => (json["text"] as { message: string }).message);
  assertEquals(texts, ["um", "um", "dois"]);

  await using stranger = startHttpDouble(() => new Response(null, { status: 401 }));
  await simulator.post("/webhooks", { provider: "zapi", instance: "B", url: stranger.baseUrl });
  for (const text of ["um", "dois"]) {
    const content = { messageType: "text", text };
    await simulator.post("/replies", { provider: "zapi", instance: "B", waId: phone, content });
  }
  await waitUntil(() => stranger.requests.length === 2, { what: "both, once each" });
});

Deno.test("simultaneous messages of one phone are delivered one after the other, each with its own time", async () => {
  await using simulator = startSimulator({ now: () => new Date("2026-03-01T12:00:00.500Z") });
  let underWay = 0;
  let most = 0;
  await using receiver = startHttpDouble(async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay--;
    return new Response();
  });
  await simulator.post("/webhooks", { provider: "zapi", instance: "A", url: receiver.baseUrl });
  const texts = ["um", "dois", "três", "quatro"];
  for (const waId of [phone, "5511933332222"]) {
    for (const text of texts) {
      const content = { messageType: "text", text };
      await simulator.post("/replies", { provider: "zapi", instance: "A", waId, content });
    }
  }
  await waitUntil(() => receiver.requests.length === 8 && underWay === 0, { what: "all eight" });
  assertEquals(most, 1);
  const start = Date.parse("2026-03-01T12:00:00.500Z");
  for (const waId of [phone, "5511933332222"]) {
    const events = receiver.requests.map(({ json }) => json).filter((json) =>
      json["phone"] === waId
    );
    assertEquals(
      events.map((json) => [(json["text"] as { message: string }).message, json["momment"]]),
      texts.map((text, index) => [text, start + index]),
    );
  }
});

Deno.test("an address that does not know the verify token is not registered", async () => {
  await using simulator = startSimulator();
  await using receiver = startHttpDouble(() => new Response("another challenge"));
  const answer = await simulator.post("/webhooks", {
    provider: "whatsapp_cloud",
    instance: "1",
    url: receiver.baseUrl,
    appSecret: "s",
    verifyToken: "t",
  });
  assertEquals([answer.status, (await simulator.read("/webhooks")).items], [400, []]);
  const far = { provider: "zapi", instance: "A", url: "https://example.com/hook" };
  assertEquals((await simulator.post("/webhooks", far)).status, 400, "this machine only");
});

Deno.test("the simulator's control endpoints accept declared JSON only", async () => {
  await using simulator = startSimulator();
  for (const path of ["/webhooks", "/replies", "/readings", "/template-reviews", "/faults"]) {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const { status, json } = await simulator.post(path, "{}", { "Content-Type": type });
      assertEquals([status, (json as { error: string }).error], [415, "unsupported_media_type"]);
    }
    const utf8 = { "Content-Type": "application/json; charset=utf-8" };
    assertEquals((await simulator.post(path, "{}", utf8)).status, 400, path);
  }
});
