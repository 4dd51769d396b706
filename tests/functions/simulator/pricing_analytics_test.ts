/** What the simulated channel charges for what it has delivered, as Meta's analytics tell it. */
import { assertEquals } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const [start, end] = ["2026-11-01T03:00:00Z", "2026-12-01T03:00:00Z"].map((instant) =>
  Date.parse(instant) / 1_000
);

const prices = {
  currency: "BRL",
  freeServiceMessages: 2,
  volumeTiers: [{ from: 2, discountPercent: 10 }, { from: 3, discountPercent: 50 }],
  markets: [
    {
      ...{ country: "BR", callingCodes: ["55"] },
      prices: { marketing: "0.3", utility: "0.1", authentication: "0.2", service: "0.02" },
    },
    {
      ...{ country: "SP", callingCodes: ["5511"] },
      prices: { marketing: "3", utility: "1", authentication: "2", service: "0.2" },
    },
  ],
};

/** Tells the simulator that a message was delivered. */
function deliver(
  { simulator }: SimulatorServer,
  billedAs: string,
  receivedAt: string,
  changes: Readonly<Record<string, string>> = {},
): void {
  simulator.store.addStatus({
    ...{ provider: "whatsapp_cloud", instance: "1", providerMessageId: crypto.randomUUID() },
    ...{ waId: "5521977776666", status: "delivered", billedAs, receivedAt },
    ...changes,
  } as never);
}

async function ask(server: SimulatorServer, call: string, id = "10229"): Promise<Body> {
  const fields = new URLSearchParams({ fields: `currency,pricing_analytics${call}` });
  const response = await fetch(`${server.url}/graph/v26.0/${id}?${fields}`, {
    headers: { authorization: "Bearer any-token" },
  });
  const body = await response.json();
  return { ...body, points: body.pricing_analytics?.data?.[0]?.data_points ?? [] };
}

const month = `.start(${start}).end(${end}).granularity(MONTHLY)`;
const byCategory = `${month}.dimensions(["PRICING_CATEGORY"])`;

Deno.test("prices, free messages and tiers are counted in the order of delivery, by month and number", async () => {
  await using server = startSimulator();
  await server.post("/prices", prices);
  for (const second of [1, 2, 3]) deliver(server, "service", `2026-11-10T12:00:0${second}Z`);
  deliver(server, "service", "2026-11-10T12:00:09Z", { instance: "2" });
  for (const second of [1, 2, 3, 4]) deliver(server, "utility", `2026-11-11T12:00:0${second}Z`);
  deliver(server, "marketing", "2026-11-12T12:00:00Z", { waId: "5511977776666" });
  deliver(server, "marketing", "2026-11-12T12:00:00Z", { waId: "4915112345678" });
  const { currency, points } = await ask(server, byCategory);
  assertEquals(currency, "BRL");
  const pointOf = (pricing_category: string, volume: number, cost: number) => ({
    ...{ start: Date.UTC(2026, 10) / 1_000, end: Date.UTC(2026, 11) / 1_000 },
    ...{ pricing_category, volume, cost },
  });
  assertEquals(points, [
    pointOf("SERVICE", 4, 0.02),
    pointOf("UTILITY", 4, 0.34),
    pointOf("MARKETING", 2, 3),
  ]);
  const tiers =
    (await ask(server, `${month}.dimensions(["TIER","COUNTRY"]).metric_types(["COST"])`))
      .points.filter(({ cost }: Body) => cost > 0)
      .map(({ tier, country, cost, volume }: Body) => [tier, country, cost, volume]);
  assertEquals(tiers, [
    ...[["0:", "BR", 0.02, undefined], ["0:2", "BR", 0.2, undefined]],
    ...[["2:3", "BR", 0.09, undefined], ["3:", "BR", 0.05, undefined]],
    ["0:", "SP", 3, undefined],
  ]);
});

Deno.test("a message is charged once, at its first delivery or reading; what was not delivered is not", async () => {
  await using server = startSimulator();
  const once = { providerMessageId: "wamid.1" };
  deliver(server, "service", "2026-11-10T12:00:00Z", { ...once, status: "sent" });
  deliver(server, "service", "2026-11-10T12:00:00Z", once);
  deliver(server, "service", "2026-11-10T12:00:01Z", { ...once, status: "read" });
  deliver(server, "service", "2026-11-10T12:00:02Z", { status: "failed" });
  deliver(server, "service", "2026-11-10T12:00:02Z", { provider: "zapi" });
  deliver(server, "service", "2026-12-01T03:00:00Z");
  assertEquals((await ask(server, byCategory)).points.map(({ volume }: Body) => volume), [1]);
  await server.read("/statuses", "DELETE");
  assertEquals((await ask(server, byCategory)).points.length, 1);
});

Deno.test("points are told by half hour, day and month of UTC, and of the numbers and countries asked for", async () => {
  await using server = startSimulator();
  deliver(server, "service", "2026-11-10T12:10:00Z");
  deliver(server, "service", "2026-11-10T12:29:59Z");
  deliver(server, "service", "2026-11-10T12:30:00Z", { instance: "2" });
  const starts = async (granularity: string, rest = ""): Promise<Body> =>
    (await ask(server, `.start(${start}).end(${end}).granularity(${granularity})${rest}`)).points
      .map((point: Body) => [new Date(point.start * 1_000).toISOString(), point.volume]);
  assertEquals(await starts("HALF_HOUR"), [
    ...[["2026-11-10T12:00:00.000Z", 2], ["2026-11-10T12:30:00.000Z", 1]],
  ]);
  assertEquals(await starts("DAILY"), [["2026-11-10T00:00:00.000Z", 3]]);
  assertEquals(await starts("MONTHLY", '.phone_numbers(["2"])'), [["2026-11-01T00:00:00.000Z", 1]]);
  assertEquals(await starts("MONTHLY", '.country_codes(["US"])'), []);
});

Deno.test("a call that Meta refuses is refused, and an account without deliveries has no analytics", async () => {
  await using server = startSimulator();
  const codeOf = async (call: string, id?: string): Promise<Body> => {
    const { error } = await ask(server, call, id);
    return [error?.code, error?.error_subcode];
  };
  assertEquals(await codeOf(".start(1).end(2)"), [100, undefined]);
  assertEquals(await codeOf(".granularity(DAILY)"), [100, undefined]);
  assertEquals(await codeOf(`${month}.dimensions(["AGE"])`), [100, undefined]);
  assertEquals(await codeOf(month, "no-account"), [100, 33]);
  const { pricing_analytics, currency } = await ask(server, month);
  assertEquals([pricing_analytics, currency], [undefined, "USD"]);
  const response = await fetch(`${server.url}/graph/v26.0/10229?fields=currency`);
  assertEquals([response.status, (await response.json()).error.code], [401, 190]);
});

Deno.test("a message by Direct Send is billed as the category that it names, a plain one as service", async () => {
  await using server = startSimulator();
  const calls: Body[] = [];
  await using receiver = startTestServer(async (request) => {
    const challenge = new URL(request.url).searchParams.get("hub.challenge");
    if (challenge !== null) return new Response(challenge);
    calls.push(await request.json());
    return new Response();
  });
  const instance = "104857600000001";
  await server.post("/webhooks", {
    ...{ provider: "whatsapp_cloud", instance, url: receiver.origin },
    ...{ appSecret: "secret-of-the-app", verifyToken: "verify-token" },
  });
  const waId = "5521977776666";
  await server.post("/replies", {
    ...{ provider: "whatsapp_cloud", instance, waId },
    content: { messageType: "text", text: "Oi" },
  });
  const billed = (): Body[] =>
    calls.flatMap((call: Body) => call.entry[0].changes[0].value.statuses ?? [])
      .filter(({ status }: Body) => status === "delivered")
      .map(({ pricing }: Body) => pricing.category);
  for (const category of [undefined, "utility", "authentication"]) {
    const count = billed().length;
    await server.post(`/graph/v26.0/${instance}/messages`, {
      ...{ messaging_product: "whatsapp", to: waId, type: "text", text: { body: "Oi" }, category },
    }, { authorization: "Bearer any-token" });
    await waitUntil(() => billed().length > count, { what: "the delivery" });
  }
  assertEquals(billed(), ["service", "utility", "authentication"]);
});

Deno.test("what a free entry point makes free is told so, charged nothing, and takes no free message", async () => {
  let now = Date.parse("2026-11-10T12:00:00Z");
  await using server = startSimulator({ now: () => new Date(now) });
  await server.post("/prices", { ...prices, freeServiceMessages: 0 });
  const calls: Body[] = [];
  await using receiver = startTestServer(async (request) => {
    const challenge = new URL(request.url).searchParams.get("hub.challenge");
    if (challenge !== null) return new Response(challenge);
    calls.push(await request.json());
    return new Response();
  });
  const instance = "104857600000001";
  await server.post("/webhooks", {
    ...{ provider: "whatsapp_cloud", instance, url: receiver.origin },
    ...{ appSecret: "secret-of-the-app", verifyToken: "verify-token" },
  });
  const waId = "5521977776666";
  const told = (): Body[] =>
    calls.flatMap((call: Body) => call.entry[0].changes[0].value.statuses ?? [])
      .filter(({ status }: Body) => status === "delivered")
      .map(({ pricing }: Body) => pricing.type);
  const write = (parts: object): Promise<Body> =>
    server.post("/replies", {
      ...{ provider: "whatsapp_cloud", instance, waId, parts },
      content: { messageType: "text", text: "Oi" },
    });
  const send = async (): Promise<string> => {
    const count = told().length;
    const { status } = await server.post(`/graph/v26.0/${instance}/messages`, {
      ...{ messaging_product: "whatsapp", to: waId, type: "text", text: { body: "Oi" } },
    }, { authorization: "Bearer any-token" });
    assertEquals(status, 200);
    await waitUntil(() => told().length > count, { what: "the delivery" });
    return told().at(-1);
  };
  await write({});
  assertEquals(await send(), "regular");
  await write({ referral: { sourceType: "ad", sourceId: "1" } });
  assertEquals([await send(), await send()], ["free_entry_point", "free_entry_point"]);
  now += 71 * 3_600_000;
  await write({ referral: { sourceType: "ad", sourceId: "2" } });
  now += 24 * 3_600_000 - 1;
  assertEquals(await send(), "free_entry_point");
  now += 73 * 3_600_000;
  await write({});
  assertEquals(await send(), "regular");
  const types = (await ask(server, `${month}.dimensions(["PRICING_TYPE"])`)).points
    .map(({ pricing_type, volume, cost }: Body) => [pricing_type, volume, cost]);
  assertEquals(types, [["REGULAR", 2, 0.04], ["FREE_ENTRY_POINT", 3, 0]]);
});
