/** An instance's sums by the secret key and the command line, and beside what the channel bills. */
import { createAdminApp } from "../../../functions/admin-api/app.ts";
import { openAdminApi } from "../../../supabase/admin/admin_api.ts";
import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { passMonthEnd } from "../../support/clock_edges.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { changeBatch, createBatch, runBatches } from "../../support/fixtures/batch_calls.ts";
import { type Tenant, testVault } from "../../support/fixtures/tenant.ts";
import { secretKey } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  appSecret,
  createWebhookClient,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";
import { type SimulatorServer, startSimulator } from "../simulator/simulator_server.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

interface World extends AsyncDisposable {
  readonly client: WebhookClient;
  readonly simulator: SimulatorServer;
  readonly tenant: Tenant;
  /** This month, which everything is delivered in. */
  readonly month: string;
  configure(changes: Readonly<Record<string, string | undefined>>): Promise<void>;
  get(path: string, instanceId?: string): Promise<{ status: number; body: Body }>;
  run(...args: string[]): Promise<{ code: number; output: string; errors: string }>;
}

/** An official tenant at the simulator, which tells its webhook; three free service messages a month. */
async function createWorld(): Promise<World> {
  await passMonthEnd();
  await using cleanup = new AsyncDisposableStack();
  const client = cleanup.use(await createWebhookClient());
  const hooks = cleanup.use(startTestServer((request) => client.app.fetch(request)));
  const simulator = cleanup.use(startSimulator());
  const config = {
    ...{ baseUrl: `${simulator.url}/graph`, phoneNumberId: "104857600000001", wabaId: "10229" },
    ...{ accessToken: "EAAG-secret-access", appSecret, verifyToken: "verify-token-of-tests" },
  };
  const tenant = await client.createTenant({
    ...{ provider: "whatsapp_cloud", timeZone: "UTC", providerConfig: config },
  });
  const { admin, services } = client.stack;
  await admin`update messaging.instances set free_service_messages_per_month = 3`;
  const registered = await simulator.post("/webhooks", {
    ...{ provider: "whatsapp_cloud", instance: config.phoneNumberId },
    ...{ appSecret, verifyToken: config.verifyToken },
    url: `${hooks.origin}/provider-webhook/whatsapp_cloud/${tenant.instanceId}`,
  });
  assert(registered.status < 300, JSON.stringify(registered.json));
  const app = createAdminApp({ ...services, vault: testVault, secretKeys: { default: secretKey } });
  const server = cleanup.use(startTestServer((request) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.replace("/functions/v1", "");
    return app.fetch(new Request(url, request));
  }));
  const keep = cleanup.move();
  return {
    ...{ client, simulator, tenant, month: new Date().toISOString().slice(0, 7) },
    configure: async (changes) => {
      const sealed = await testVault.seal({ ...config, ...changes }, tenant.instanceId);
      await admin`
        update messaging.instances set sealed_provider_config = ${sealed}
        where id = ${tenant.instanceId}`;
    },
    get: async (path, instanceId = tenant.instanceId) => {
      const response = await fetch(`${server.origin}/admin-api/instances/${instanceId}/${path}`, {
        headers: { apikey: secretKey },
      });
      return { status: response.status, body: await response.json() };
    },
    run: async (...args) => {
      let [output, errors] = ["", ""];
      const code = await runAdminCommand({
        api: openAdminApi(server.origin, () => Promise.resolve(secretKey)),
        print: (text) => output += text,
        printError: (text) => errors += text,
        readFile: () => Promise.resolve(""),
        readStdin: () => Promise.resolve(""),
      }, args);
      return { code, output, errors };
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** Rates that are what the simulator charges, but for its tiers. */
async function replaceRates({ client, tenant }: World, currency = "USD"): Promise<void> {
  const rate = (category: string, amount: string) => ({
    ...{ market: "Brazil", category, amount, effectiveFrom: "2020-01-01" },
  });
  await callFunction(client.stack.admin, "replace_rates", {
    ...{ workspaceId: tenant.workspaceId, currency, dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }],
    rates: [rate("service", "0.004"), rate("utility", "0.01")],
  });
}

async function setPrices(
  { simulator }: World,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const prices = await (await fetch(`${simulator.url}/prices`)).json();
  const { status } = await simulator.post("/prices", {
    ...{ ...prices, freeServiceMessages: 3, ...changes },
  });
  assertEquals(status, 200);
}

/** Sends five texts and a template to two people; all are delivered. */
async function sendAll(world: World): Promise<void> {
  const { client: { stack }, tenant, simulator } = world;
  const [phone, other] = ["5511977770001", "5521977770002"];
  simulator.writeAsCustomer({ instance: "104857600000001", waId: phone! });
  for (let place = 0; place < 5; place++) {
    const text = { phone, messageType: "text", message: `Oi ${place}` };
    const { status, body } = await stack.send(tenant, text);
    assertEquals(status, 200, JSON.stringify(body));
  }
  const [row] = await stack.admin`
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, category,
      provider_status, provider_template_id
    ) values (${tenant.workspaceId}, ${tenant.instanceId}, 'lembrete_consulta', 'pt_BR',
      'POSITIONAL', '[{"type":"BODY","text":"Sua consulta é em {{1}}, às {{2}}."}]'::jsonb,
      'UTILITY', 'APPROVED', '1304694804498707')
    returning id`;
  const batchId = await createBatch(stack, tenant, {
    ...{ message: undefined, template: { templateId: row?.["id"] }, intervalSeconds: 10 },
    recipients: [phone, other].map((to) => ({ phone: to, variables: { 1: "25/11", 2: "14h" } })),
  });
  await changeBatch(stack, tenant, batchId, "start");
  await runBatches(stack, 2);
  await waitUntil(async () => (await sumsOf(world)).delivered === 7, { what: "seven deliveries" });
}

async function sumsOf({ get, month }: World): Promise<Body> {
  const { body } = await get(`usage?from=${month}-01&to=${month}-28&groupBy=month`);
  const late = await get(`usage?from=${month}-29&to=${lastDayOf(month)}&groupBy=month`);
  const items = [...body.items, ...late.body.items ?? []];
  return { delivered: items.reduce((sum: number, item: Body) => sum + item.delivered, 0) };
}

function lastDayOf(month: string): string {
  const [year, number] = month.split("-").map(Number);
  return `${month}-${new Date(Date.UTC(year!, number!, 0)).getUTCDate()}`;
}

Deno.test("a month whose sums are what the channel bills reconciles, and one that is not exits with 1", async () => {
  await using world = await createWorld();
  const { month, tenant: { instanceId }, get, run } = world;
  await setPrices(world);
  await replaceRates(world);
  await sendAll(world);
  const { status, body } = await get(`usage/provider?month=${month}`);
  assertEquals(status, 200, JSON.stringify(body));
  const both = (count: number, cost: string) => ({
    ...{ delivered: count, providerVolume: count, unknown: 0 },
    ...{ estimatedCost: cost, providerCost: cost },
  });
  assertEquals(body, {
    ...{ success: true, instanceId, month, currency: "USD", providerCurrency: "USD" },
    categories: [{ key: "service", ...both(5, "0.008") }, { key: "utility", ...both(2, "0.02") }],
    types: [{ key: "regular", ...both(7, "0.028") }],
    total: both(7, "0.028"),
    difference: { volumePercent: 0, costPercent: 0 },
  });
  const good = await run("usage", "reconcile", instanceId, "--month", month);
  assertEquals([good.code, good.errors], [0, ""]);
  assertMatch(good.output, /^of +delivered +provider +difference +unknown +estimatedCost/);
  assertMatch(good.output, /^category utility +2 +2 +0 +0 +0\.02 +0\.02 +0$/m);
  assertMatch(good.output, /^Difference: 0 % of the messages, 0 % of the cost \(USD\)\.$/m);

  await setPrices(world, { volumeTiers: [{ from: 1, discountPercent: 50 }] });
  const bad = await run("usage", "reconcile", instanceId, "--month", month);
  assertEquals([bad.code, bad.errors], [1, "The sums differ by more than 2 %.\n"]);
  assertMatch(bad.output, /^category utility +2 +2 +0 +0 +0\.02 +0\.015 +0\.005$/m);
  const json = await run("usage", "reconcile", instanceId, "--month", month, "--json");
  assertEquals([json.code, JSON.parse(json.output).difference.costPercent], [1, 21.74]);

  await setPrices(world, { volumeTiers: [], currency: "BRL" });
  const other = await run("usage", "reconcile", instanceId, "--month", month);
  assertEquals(other.code, 1);
  assertMatch(other.errors, /^The amounts cannot be compared: the rates are in USD, .* in BRL\.$/m);
});

Deno.test("usage prints the sums of a month or of days as a table, with their total", async () => {
  await using world = await createWorld();
  const { month, tenant: { instanceId }, run, get } = world;
  await setPrices(world);
  await replaceRates(world);
  await sendAll(world);
  const table = await run("usage", instanceId, "--month", month, "--group-by", "category");
  assertEquals([table.code, table.errors], [0, ""]);
  assertEquals(table.output.split("\n").map((line) => line.split(/ {2,}/)), [
    ["category", "sent", "delivered", "free", "estimatedCost USD", "unknown"],
    ["service", "5", "5", "3", "0.008", "0"],
    ["utility", "2", "2", "0", "0.02", "0"],
    ["total", "7", "7", "3", "0.028", "0"],
    [""],
  ]);
  const days = await run(
    ...["usage", instanceId, "--from", `${month}-01`, "--to", lastDayOf(month), "--json"],
  );
  const { items, currency } = JSON.parse(days.output);
  assertEquals([currency, items.reduce((sum: number, item: Body) => sum + item.sent, 0)], [
    ...["USD", 7],
  ]);
  assertEquals((await run("usage", instanceId, "--month", "2020-02")).output, "None.\n");
  assertEquals((await run("usage", "reconcile", instanceId)).code, 2);
  for (const args of [["--month", "2026-13"], ["--from", "2026-01-01"]]) {
    assertEquals((await run("usage", instanceId, ...args)).code, 2, args.join(" "));
  }
  const refused = await get("usage?from=2026-01-02&to=2026-01-01&groupBy=week");
  assertEquals(refused.status, 400);
  assertEquals(
    (await get(`usage?from=${month}-01&to=${month}-02`, crypto.randomUUID())).status,
    404,
  );
});

Deno.test("what the provider refuses, and who has no account there, is told clearly", async () => {
  await using world = await createWorld();
  const { month, client, configure, get } = world;
  const path = `usage/provider?month=${month}`;
  const gateway = await client.createTenant();
  assertEquals((await get(path, gateway.instanceId)).body.error, "provider_usage_not_available");
  assertEquals((await get(path, crypto.randomUUID())).status, 404);
  assertEquals((await get("usage/provider?month=2026-13")).body.issues[0].path, "month");
  await configure({ wabaId: undefined });
  const without = await get(path);
  assertEquals([without.status, without.body.error], [409, "provider_usage_not_available"]);
  assertMatch(without.body.message, /wabaId/);
  await configure({ wabaId: "no-account" });
  const unknown = await get(path);
  assertEquals([unknown.status, unknown.body.error, unknown.body.details.code], [
    ...[502, "provider_usage_failed", "100"],
  ]);
  assertMatch(unknown.body.details.message, /^The wabaId names no account/);

  let answer: () => Response = () => Response.json({});
  await using meta = startTestServer(() => answer());
  await configure({ baseUrl: meta.origin });
  const refuse = async (status: number, error: object): Promise<Body> => {
    answer = () => Response.json({ error }, { status });
    const { body } = await get(path);
    assertEquals(body.error, "provider_usage_failed");
    return body.details;
  };
  const denied = await refuse(403, {
    ...{ code: 200, message: "(#200) You do not have permission EAAG-secret-access" },
  });
  assertEquals(denied.code, "200");
  assertMatch(denied.message, /needs the permission whatsapp_business_management/);
  assertEquals(denied.message.includes("EAAG-secret-access"), false);
  assertMatch((await refuse(401, { code: 190, message: "x" })).message, /accessToken is invalid/);
  for (const body of ["no JSON", "[]", '{"pricing_analytics":{"data":[{"points":[]}]}}']) {
    answer = () => new Response(body, { headers: { "content-type": "application/json" } });
    assertEquals((await get(path)).body.error, "provider_usage_failed", body);
  }
});

Deno.test("an account's other numbers, half hours and words in capitals are told apart", async () => {
  await using world = await createWorld();
  const { month, tenant, configure, get } = world;
  await replaceRates(world);
  let asked = "";
  const point = (volume: number, cost: number, phone_number?: string) => ({
    ...{ start: 1, end: 2, phone_number, pricing_category: "UTILITY", pricing_type: "REGULAR" },
    ...{ volume, cost },
  });
  const points = [
    ...[point(1, 0.1, "+55 11 4000-1234"), point(2, 0.2, "5511999990000"), point(4, 0.2)],
    point(8, 0.000000001, "104857600000001"),
  ];
  await using meta = startTestServer((request) => {
    asked = new URL(request.url).searchParams.get("fields") ?? "";
    return Response.json({ pricing_analytics: { data: [{ data_points: points }] }, id: "10229" });
  });
  await configure({ baseUrl: meta.origin });
  assertEquals(tenant.connectedPhone, "551140001234");
  await world.client.stack.admin`update messaging.instances set time_zone = 'America/Sao_Paulo'`;
  const { body } = await get("usage/provider?month=2026-11");
  assertEquals(body.categories, [{
    ...{ key: "utility", delivered: 0, providerVolume: 13, estimatedCost: "0", unknown: 0 },
    providerCost: "0.300000001",
  }]);
  assertEquals(body.difference, { volumePercent: 100, costPercent: 100 });
  const bounds = ["2026-11-01T03:00:00Z", "2026-12-01T03:00:00Z"].map((instant) =>
    Date.parse(instant) / 1_000
  );
  assertEquals(
    asked,
    `currency,pricing_analytics.start(${bounds[0]}).end(${bounds[1]}).granularity(HALF_HOUR)` +
      '.metric_types(["COST","VOLUME"]).dimensions(["PHONE","PRICING_CATEGORY","PRICING_TYPE"])',
  );
  assert(month.length === 7);
});
