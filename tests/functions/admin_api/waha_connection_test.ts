/** Connecting a number at WAHA by calls, against the simulated server as its clients see it. */

import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { type SimulatorServer, startSimulator } from "../simulator/simulator_server.ts";
import { type AdminClient, createAdminClient, createWorkspace } from "./admin_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const expected = "551188887777";
const key = "a-key-of-32-characters-or-even-more";
const provider = "waha";

interface Lost {
  readonly instanceId: string;
  /** The session's name. */
  readonly instance: string;
  /** A call below `connection`, which is the empty path. */
  call(method: string, path: string, body?: unknown): ReturnType<AdminClient["call"]>;
  /** A phone that scans or types a code; the status of the simulator. */
  pair(phone: string, code?: string): Promise<number>;
  behave(behavior: string): Promise<unknown>;
}

/** An instance at the simulated WAHA, whose session has lost its phone, and has webhooks set by hand. */
async function createLost(
  client: AdminClient,
  { url, post }: SimulatorServer,
  engine = "",
  configureWebhooks = false,
): Promise<Lost> {
  const instance = `n${Math.floor(Math.random() * 1e9)}${engine}`;
  const { instanceId } = await client.create("/instances", {
    ...{ workspaceId: await createWorkspace(client), name: "Recepção", provider },
    ...{ connectedPhone: expected, timeZone: "America/Sao_Paulo", configureWebhooks },
    providerConfig: { baseUrl: `${url}/waha`, session: instance, apiKey: key, webhookKey: key },
  });
  // The webhook's address answers nothing: what changes is seen by the calls alone.
  const webhook = { provider, instance, url: "http://127.0.0.1:9/", appSecret: key };
  assertEquals((await post("/webhooks", webhook)).status, 201);
  assertEquals(
    (await post("/connections", { provider, instance, state: "disconnected" })).status,
    200,
  );
  return {
    ...{ instanceId, instance },
    call: (method, path, body) =>
      client.call(method, `/instances/${instanceId}/connection${path}`, { body }),
    pair: async (phone, code) =>
      (await post("/pairings", { provider, instance, phone, code })).status,
    behave: (behavior) => post("/sessions", { provider, instance, behavior }),
  };
}

async function eventsOf({ database }: AdminClient, instanceId: string): Promise<Body[]> {
  const rows = await database.admin`
    select type, data from messaging.events
    where instance_id = ${instanceId} and type like 'instance.%' order by sequence`;
  return rows.map(({ type, data }) => [type, data.reason]);
}

for (const engine of ["", "-webjs", "-gows"]) {
  Deno.test(`a phone that scans the code of WAHA${engine} is connected`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { call, pair, instanceId } = await createLost(client, simulator, engine);
    const before = (await call("GET", "")).body;
    assertEquals([before.state, before.phone, before.methods], [
      ...["disconnected", null],
      ["qr", "code"],
    ]);

    // A session that has failed is started, and has its code a moment later.
    const early = await call("POST", "/qr");
    assertEquals([early.status, early.body.error], [409, "connection_pending"]);
    const { status, body } = await call("POST", "/qr");
    assertEquals(status, 200, JSON.stringify(body));
    assertMatch(body.qr, /^2@/);
    assertEquals((await call("GET", "")).body.state, "waiting_for_scan");

    assertEquals(await pair(expected, body.qr), 201);
    const after = (await call("GET", "")).body;
    assertEquals([after.state, after.phone, after.isExpectedPhone], ["connected", expected, true]);
    assertEquals(await eventsOf(client, instanceId), [["instance.connected", null]]);
    assertEquals((await call("POST", "/qr")).body.error, "already_connected");
    assertEquals(
      (await call("POST", "/code", { phone: expected })).body.error,
      "already_connected",
    );
  });
}

Deno.test("a code of WAHA that is typed connects the phone, and none of its codes is in a log line", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, pair } = await createLost(client, simulator);
  await call("POST", "/restart");
  const { qr } = (await call("POST", "/qr")).body;

  const { status, body } = await call("POST", "/code", { phone: expected });

  assertEquals(status, 200, JSON.stringify(body));
  assertMatch(body.code, /^[A-Z0-9]{8}$/);
  assertEquals(await pair(expected, body.code), 201);
  assertEquals((await call("GET", "")).body.state, "connected");
  const logged = client.logLines.join("\n");
  assert(logged.includes("/instances/:id/connection/qr"));
  for (const word of [qr, body.code, expected, key]) assertFalse(logged.includes(word));
});

Deno.test("a wrong phone at WAHA holds the instance", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, pair, instanceId } = await createLost(client, simulator);
  await call("POST", "/restart");
  await call("POST", "/qr");
  assertEquals(await pair("5521977776666"), 201);
  const wrong = (await call("GET", "")).body;
  assertEquals([wrong.state, wrong.phone, wrong.isExpectedPhone], [
    ...["connected", "5521977776666"],
    false,
  ]);
  assertEquals(await eventsOf(client, instanceId), [
    ["instance.connected", null],
    ["instance.held", "wrong_phone"],
  ]);
});

Deno.test("a session of WAHA is restarted, and one that was ended waits for a phone", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, pair } = await createLost(client, simulator);
  await call("POST", "/restart");
  await call("POST", "/qr");
  await pair(expected);
  await call("GET", "");
  assertEquals((await call("POST", "/restart")).body, { success: true });
  assertEquals((await call("GET", "")).body.state, "connected");
  assertEquals((await call("POST", "/logout")).body, { success: true });
  const { state, phone } = (await call("GET", "")).body;
  assertEquals([state, phone], ["waiting_for_scan", null]);
});

const paths: readonly (readonly [string, unknown?])[] = [
  ...[["/qr"], ["/restart"], ["/logout"]] as const,
  ["/code", { phone: expected }],
];

Deno.test("a session that WAHA does not have is told when its number is connected", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, behave, instanceId } = await createLost(client, simulator);
  await behave("absent");
  const { state, problem } = (await call("GET", "")).body;
  assertEquals([state, problem.code], ["unknown", "session_not_found"]);
  for (const [path, sent] of paths) {
    const refused = await call("POST", path, sent);
    assertEquals([refused.status, refused.body.error], [409, "session_not_found"], path);
  }
  assertEquals(await eventsOf(client, instanceId), []);
});

Deno.test("WAHA asks for a passkey, errs, or is down", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, behave } = await createLost(client, simulator);
  await behave("passkey");
  assertEquals((await call("GET", "")).body.state, "waiting_for_scan");
  for (const [path, sent] of [["/qr"], ["/code", { phone: expected }]] as const) {
    assertEquals((await call("POST", path, sent)).body.error, "passkey_required");
  }
  for (const [behavior, code] of [["error", "http_500"], ["down", "http_502"]]) {
    await behave(behavior as string);
    const { state, problem } = (await call("GET", "")).body;
    assertEquals([state, problem.code], ["unknown", code]);
    for (const [path, sent] of paths) {
      const refused = await call("POST", path, sent);
      assertEquals([refused.status, refused.body.error], [502, "provider_connection_failed"], path);
      assertFalse(refused.text.includes(key), "no credential in an error");
    }
  }
});

/** What the session is configured with at WAHA; with `config` it is configured anew. */
async function configureSession(
  { url }: SimulatorServer,
  session: string,
  config?: Body,
): Promise<Body> {
  const response = await fetch(`${url}/waha/api/sessions/${session}`, {
    ...(config === undefined
      ? {}
      : { method: "PUT", body: JSON.stringify({ name: session, config }) }),
    headers: { "x-api-key": key, "content-type": "application/json" },
  });
  return (await response.json()).config;
}

Deno.test("connecting a phone at WAHA sets its webhook beside what the session has, once", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, instanceId, instance } = await createLost(client, simulator, "", true);
  const own = `https://api.example.com/functions/v1/provider-webhook/waha/${instanceId}`;
  const health = async (): Promise<Body> =>
    (await client.rpc("get_instance_health", { instanceId })).webhooks;
  // A webhook of the whole server is told by no call.
  assertEquals((await call("GET", "")).body.webhooks, { state: "unknown", url: null });
  const foreign = { url: "https://n8n.example.com/webhook/a-secret?key=1", events: ["message"] };
  const rest = { noweb: { store: { enabled: true, fullSync: false } }, metadata: { tenant: "1" } };
  await configureSession(simulator, instance, { ...rest, webhooks: [foreign] });
  assertEquals((await call("GET", "")).body.webhooks, {
    ...{ state: "elsewhere", url: "https://n8n.example.com" },
  });

  assertEquals((await call("POST", "/qr")).status, 200);

  const config = await configureSession(simulator, instance);
  const { webhooks: [first, second, third], ...others } = config;
  assertEquals([others, first, third], [rest, foreign, undefined]);
  assertEquals([second.url, second.hmac], [own, { key }]);
  for (const event of ["session.status", "message.any", "message.ack", "poll.vote.failed"]) {
    assert(second.events.includes(event), event);
  }
  assertFalse(second.events.includes("message"), "it would come twice");
  assertEquals(await health(), { state: "ours", url: own });
  await call("POST", "/qr");
  assertEquals(await configureSession(simulator, instance), config);
});

const flaws: readonly (readonly [string, Body])[] = [
  ["another key", { hmac: { key: "another-key-of-24-characters-or-more" } }],
  ["no key", { hmac: null }],
  ["few events", { events: ["message"] }],
];

for (const [flaw, members] of flaws) {
  Deno.test(`a webhook of WAHA with ${flaw} is not ours, and is replaced`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { call, instanceId, instance } = await createLost(client, simulator);
    const own = `https://api.example.com/functions/v1/provider-webhook/waha/${instanceId}`;
    const whole = { url: own, events: ["*"], hmac: { key } };
    await configureSession(simulator, instance, { webhooks: [whole] });
    assertEquals((await call("GET", "")).body.webhooks, { state: "ours", url: own });
    await configureSession(simulator, instance, { webhooks: [{ ...whole, ...members }] });
    assertEquals((await call("GET", "")).body.webhooks, { state: "elsewhere", url: null });
    // Only the explicit call sets them here.
    await call("POST", "/qr");
    assertEquals((await call("GET", "")).body.webhooks, { state: "elsewhere", url: null });

    const { body } = await call("POST", "/webhooks");

    assertEquals(body, { success: true, state: "ours", url: own });
    assertEquals((await configureSession(simulator, instance)).webhooks.length, 1);
  });
}

Deno.test("where WAHA hides the key of another webhook, the session's stay as they are", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, instance } = await createLost(client, simulator);
  const hidden = {
    ...{ url: "https://n8n.example.com/webhook/1", events: ["message"] },
    hmac: { key: "********" },
  };
  await configureSession(simulator, instance, { webhooks: [hidden] });

  const { status, body } = await call("POST", "/webhooks");

  assertEquals([status, body.error], [502, "provider_connection_failed"]);
  assertEquals((await configureSession(simulator, instance)).webhooks, [hidden]);
});
