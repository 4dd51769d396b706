/** How much the simulated official channel lets a number send: set, told by its webhook, and told when it is asked. */

import { assertEquals } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startSimulator } from "./simulator_server.ts";

const instance = "106540352242922";

Deno.test("a number's level is STANDARD until it is set, a higher one is told once, the app only when asked", async () => {
  await using server = startSimulator();
  const told: string[] = [];
  await using receiver = startTestServer(async (request) => {
    const challenge = new URL(request.url).searchParams.get("hub.challenge");
    if (challenge !== null) return new Response(challenge);
    told.push(await request.text());
    return new Response();
  });
  const set = (change: object): Promise<{ status: number; json: unknown }> =>
    server.post("/numbers", { instance, ...change });
  assertEquals((await set({ throughput: "HIGH" })).status, 409, "it has no webhook");
  const webhook = { provider: "whatsapp_cloud", appSecret: "s", verifyToken: "t" };
  await server.post("/webhooks", {
    ...{ ...webhook, instance, url: receiver.origin, phone: "5511955554444" },
  });
  const ask = async (): Promise<unknown> => {
    const url =
      `${server.url}/graph/v23.0/${instance}?fields=display_phone_number,throughput,is_on_biz_app`;
    const response = await fetch(url, { headers: { authorization: "Bearer token" } });
    const { throughput, is_on_biz_app } = await response.json();
    return [throughput.level, is_on_biz_app];
  };
  assertEquals(await ask(), ["STANDARD", false]);
  const high = { instance, throughput: "HIGH", isOnBusinessApp: false };
  assertEquals((await set({ throughput: "HIGH" })).json, high);
  await set({ throughput: "HIGH" });
  assertEquals(await ask(), ["HIGH", false]);
  assertEquals((await server.read("/numbers")).items, [high]);
  await set({ isOnBusinessApp: true });
  assertEquals(await ask(), ["HIGH", true]);
  await waitUntil(() => Promise.resolve(told.length > 0), { what: "the first change" });
  assertEquals(told.length, 1);
  await set({ throughput: "STANDARD" });
  assertEquals(await ask(), ["STANDARD", true]);
  await set({ throughput: "HIGH" });
  await waitUntil(() => Promise.resolve(told.length > 1), { what: "the second change" });
  assertEquals(told.length, 2);
  for (const body of told) {
    const [event, ...others] = readProviderEvents("whatsapp_cloud", JSON.parse(body), instance);
    assertEquals(others, []);
    const { kind, change, allowance, phone } = event as unknown as Record<string, unknown>;
    assertEquals([kind, change, phone], ["limit", "THROUGHPUT_UPGRADE", "5511955554444"]);
    assertEquals(allowance, { throughput: "HIGH" });
  }
  assertEquals((await set({ throughput: "FAST" })).status, 400);
  assertEquals((await set({ isOnBusinessApp: "yes" })).status, 400);
});
