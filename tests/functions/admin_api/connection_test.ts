/** Connecting a number by calls, against the simulated gateways as their clients see them. */

import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { type SimulatorServer, startSimulator } from "../simulator/simulator_server.ts";
import {
  type AdminClient,
  createAdminClient,
  createWorkspace,
  issuePaths,
} from "./admin_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const expected = "551188887777";
const secret = "a-secret-of-32-characters-or-more";
const gateways = ["zapi", "evolution"] as const;
type Gateway = (typeof gateways)[number];

function configOf(provider: string, url: string, name: string): Body {
  switch (provider) {
    case "zapi":
      return {
        ...{ baseUrl: `${url}/zapi`, gatewayInstanceId: name },
        ...{ token: secret, webhookSecret: secret },
      };
    case "evolution":
      return {
        ...{ baseUrl: `${url}/evolution`, instanceName: name },
        ...{ apiKey: secret, webhookSecret: secret },
      };
    default:
      return {
        ...{ baseUrl: `${url}/graph`, phoneNumberId: name, accessToken: secret },
        ...{ appSecret: secret, verifyToken: secret },
      };
  }
}

interface Connected {
  readonly instanceId: string;
  readonly name: string;
  /** A call below `connection`, which is the empty path. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<AdminClient["call"]>;
}

/** An instance at a simulated provider; its phone is not connected. */
async function createInstance(
  client: AdminClient,
  { url, post }: SimulatorServer,
  provider: string,
): Promise<Connected> {
  const name = `N${Math.floor(Math.random() * 1e9)}`;
  const { instanceId } = await client.create("/instances", {
    ...{ workspaceId: await createWorkspace(client), name: "Recepção", provider },
    ...{ connectedPhone: expected, timeZone: "America/Sao_Paulo" },
    providerConfig: configOf(provider, url, name),
  });
  const webhook = { provider, instance: name, url: "http://127.0.0.1:9/" };
  assertEquals(
    (await post("/webhooks", webhook)).status,
    provider === "whatsapp_cloud" ? 400 : 201,
  );
  return {
    ...{ instanceId, name },
    call: (method, path, body, headers = {}) =>
      client.call(method, `/instances/${instanceId}/connection${path}`, { body, headers }),
  };
}

async function lose({ url }: SimulatorServer, provider: Gateway, name: string): Promise<void> {
  // The webhook's address answers nothing: what changes is seen by the calls alone.
  const body = JSON.stringify({ provider, instance: name, state: "disconnected" });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/connections`, { method: "POST", headers, body });
  await response.body?.cancel();
}

async function eventsOf({ database }: AdminClient, instanceId: string): Promise<Body[]> {
  const rows = await database.admin`
    select type, data from messaging.events
    where instance_id = ${instanceId} and type like 'instance.%' order by sequence`;
  return rows.map(({ type, data }) => [type, data.reason]);
}

for (const provider of gateways) {
  Deno.test(`a phone that scans the QR code of ${provider} is connected`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call, instanceId } = await createInstance(client, simulator, provider);
    await lose(simulator, provider, name);
    const before = await call("GET", "");
    assertEquals(
      [before.body.state, before.body.phone, before.body.methods, before.body.isExpectedPhone],
      ["disconnected", null, ["qr", "code"], null],
    );

    const askedAt = Date.now();
    const { status, body, headers } = await call("POST", "/qr");

    assertEquals([status, headers.get("cache-control")], [200, "no-store"]);
    assertMatch(body.qr, /^2@/);
    assertMatch(body.image, /^data:image\/png;base64,iVBOR/);
    const lifetimeMs = Date.parse(body.expiresAt) - askedAt;
    assert(lifetimeMs > 0 && lifetimeMs <= 15_000, `${lifetimeMs} ms`);
    assertEquals(
      (await call("POST", "/qr")).body.qr,
      body.qr,
      "the code is the same until it ends",
    );

    const scanned = { provider, instance: name, phone: expected, code: body.qr };
    assertEquals((await simulator.post("/pairings", scanned)).status, 201);
    const after = (await call("GET", "")).body;
    assertEquals(
      [after.state, after.phone, after.isExpectedPhone, after.number, after.problem],
      ["connected", expected, true, null, null],
    );
    assert(Math.abs(Date.parse(after.since) - Date.now()) < 60_000, after.since);
    assertEquals(await eventsOf(client, instanceId), [["instance.connected", null]]);
    assertEquals((await call("POST", "/qr")).body.error, "already_connected");
  });

  Deno.test(`a code of ${provider} that is 20 seconds old connects nobody`, async () => {
    await using client = await createAdminClient();
    let now = Date.now();
    await using simulator = startSimulator({ now: () => new Date(now) });
    const { name, call } = await createInstance(client, simulator, provider);
    await lose(simulator, provider, name);
    const first = (await call("POST", "/qr")).body.qr;

    now += 20_000;

    const late = { provider, instance: name, phone: expected, code: first };
    assertEquals((await simulator.post("/pairings", late)).status, 409);
    const second = (await call("POST", "/qr")).body.qr;
    assert(second !== first);
    assertEquals((await simulator.post("/pairings", { ...late, code: second })).status, 201);
  });

  Deno.test(`a code of ${provider} that is typed connects the phone, also after a QR code`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call } = await createInstance(client, simulator, provider);
    await lose(simulator, provider, name);
    await call("POST", "/qr");

    const { status, body } = await call("POST", "/code", { phone: expected });

    assertEquals(status, 200, JSON.stringify(body));
    assertMatch(body.code, /^[A-Z0-9]{8}$/);
    const typed = { provider, instance: name, phone: expected, code: body.code };
    assertEquals((await simulator.post("/pairings", typed)).status, 201);
    assertEquals((await call("GET", "")).body.state, "connected");
  });

  Deno.test(`a wrong phone at ${provider} holds the instance until the right one is expected`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call, instanceId } = await createInstance(client, simulator, provider);
    await lose(simulator, provider, name);
    const code = (await call("POST", "/qr")).body.qr;
    await simulator.post("/pairings", { provider, instance: name, phone: "5521977776666", code });

    const wrong = (await call("GET", "")).body;

    assertEquals(
      [wrong.state, wrong.phone, wrong.isExpectedPhone],
      ["connected", "5521977776666", false],
    );
    const health = await client.rpc("get_instance_health", { instanceId });
    assertEquals(
      [health.status, health.heldBy, health.holdReason, health.heldUntil],
      ["held", "wrong_phone", "wrong_phone", null],
    );
    assertEquals(await eventsOf(client, instanceId), [
      ["instance.connected", null],
      ["instance.held", "wrong_phone"],
    ]);
    await call("GET", "");
    assertEquals((await eventsOf(client, instanceId)).length, 2, "a hold is told once");

    await client.call("PATCH", `/instances/${instanceId}`, {
      body: { connectedPhone: "552177776666" },
    });
    assertEquals((await client.rpc("get_instance_health", { instanceId })).status, "ok");
    assertEquals((await call("GET", "")).body.isExpectedPhone, true);
    await client.call("PATCH", `/instances/${instanceId}`, { body: { connectedPhone: expected } });
    assertEquals((await client.rpc("get_instance_health", { instanceId })).heldBy, "wrong_phone");
  });

  Deno.test(`${provider} asks for a passkey, has no code yet, errs with 200, or is down`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call } = await createInstance(client, simulator, provider);
    await lose(simulator, provider, name);
    const behave = (behavior: string): Promise<unknown> =>
      simulator.post("/sessions", { provider, instance: name, behavior });

    await behave("passkey");
    assertEquals((await call("POST", "/qr")).body.error, "passkey_required");
    assertEquals((await call("POST", "/code", { phone: expected })).body.error, "passkey_required");

    await behave("slow");
    const early = await call("POST", "/qr");
    assertEquals([early.status, early.body.error], [409, "connection_pending"]);
    assertEquals(early.headers.get("retry-after"), "1");
    assertEquals((await call("POST", "/qr")).status, 200);

    for (const behavior of ["error", "down"]) {
      await behave(behavior);
      const state = (await call("GET", "")).body;
      assertEquals([state.state, state.since], ["unknown", null], behavior);
      assertMatch(state.problem.code, behavior === "down" ? /^http_502$/ : /^http_200$/);
      for (const path of ["/qr", "/restart", "/logout"]) {
        const refused = await call("POST", path);
        assertEquals(
          [refused.status, refused.body.error],
          [502, "provider_connection_failed"],
          path,
        );
        assertFalse(refused.text.includes(secret), "no credential in an error");
      }
    }
  });

  Deno.test(`a session of ${provider} is restarted, and ended once`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call, instanceId } = await createInstance(client, simulator, provider);
    assertEquals((await call("GET", "")).body.state, "connected");
    assertEquals((await call("POST", "/restart")).body, { success: true });
    assertEquals((await call("POST", "/logout")).body, { success: true });
    assertEquals((await call("GET", "")).body.state, "disconnected");
    assertEquals(await eventsOf(client, instanceId), [
      ["instance.connected", null],
      ["instance.disconnected", "not_connected"],
    ]);
    assertEquals(typeof (await call("GET", "")).body.since, "string", "since it was ended");
    await simulator.post("/sessions", { provider, instance: name, behavior: "down" });
    assertEquals((await call("GET", "")).body.since, null, "of a state that nobody knows");
  });

  Deno.test(`a logout of ${provider} that comes again with its key ends no session that was connected since`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call } = await createInstance(client, simulator, provider);
    const key = { "idempotency-key": "k" };
    assertEquals((await call("POST", "/logout", undefined, key)).body, { success: true });
    await simulator.post("/connections", { provider, instance: name, state: "connected" });
    const again = await call("POST", "/logout", undefined, key);
    assertEquals([again.body, again.headers.get("idempotent-replayed")], [
      { success: true },
      "true",
    ]);
    assertEquals((await call("GET", "")).body.state, "connected");
    await call("POST", "/logout");
    assertEquals((await call("GET", "")).body.state, "disconnected");
  });

  Deno.test(`no code of ${provider} is in a log line`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call } = await createInstance(client, simulator, provider);
    await lose(simulator, provider, name);
    const { qr } = (await call("POST", "/qr")).body;
    const { code } = (await call("POST", "/code", { phone: expected })).body;
    const logged = client.logLines.join("\n");
    assert(logged.includes("/instances/:id/connection/qr"));
    for (const word of [qr, code, expected, secret]) assertFalse(logged.includes(word));
  });
}

Deno.test("a gateway that answers nothing of a session of its own holds nothing", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { name, call, instanceId } = await createInstance(client, simulator, "evolution");
  await lose(simulator, "evolution", name);
  assertEquals((await call("GET", "")).body.state, "disconnected");
  assertEquals(await eventsOf(client, instanceId), [], "it was never connected");
  await call("POST", "/qr");
  assertEquals((await call("GET", "")).body.state, "waiting_for_scan");
});

Deno.test("an official number tells what it is, and is connected elsewhere", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { call, instanceId } = await createInstance(client, simulator, "whatsapp_cloud");
  const { body } = await call("GET", "");
  assertEquals([body.state, body.methods, body.phone], ["connected", [], null]);
  assertEquals(body.number, {
    ...{ status: "CONNECTED", quality: "GREEN", throughput: "STANDARD" },
    ...{ messagingLimit: "TIER_2K", isOnBusinessApp: false },
  });
  assertEquals(await eventsOf(client, instanceId), []);
  for (const [path, sent] of [["/qr"], ["/code", { phone: expected }], ["/restart"], ["/logout"]]) {
    const refused = await call("POST", String(path), sent);
    assertEquals(
      [refused.status, refused.body.error],
      [409, "connection_not_available"],
      path as string,
    );
  }
});

Deno.test("words of an official number that no database stores are told in part, and fail nothing", async () => {
  await using client = await createAdminClient();
  await using graph = startTestServer(() =>
    Response.json({
      ...{ display_phone_number: "+1 (555) x", status: "__proto__", is_on_biz_app: "true" },
      ...{ throughput: { level: "HIGH\0" }, quality_rating: "\ud800" },
      messaging_limit_tier: "T".repeat(100_000),
    })
  );
  const { instanceId } = await client.create("/instances", {
    ...{ workspaceId: await createWorkspace(client), name: "Recepção", provider: "whatsapp_cloud" },
    ...{ connectedPhone: expected, timeZone: "America/Sao_Paulo" },
    providerConfig: {
      ...configOf("whatsapp_cloud", "", "106540352242922"),
      baseUrl: graph.origin,
    },
  });
  const { status, body } = await client.call("GET", `/instances/${instanceId}/connection`);
  assertEquals([status, body.state, body.phone], [200, "unknown", null]);
  assertEquals(body.number, {
    ...{ status: "__proto__", quality: "\ufffd", throughput: "HIGH\ufffd" },
    ...{ messagingLimit: "T".repeat(50), isOnBusinessApp: null },
  });
});

Deno.test("a code for what is no phone is refused before the gateway is asked", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { name, call } = await createInstance(client, simulator, "zapi");
  await lose(simulator, "zapi", name);
  for (const phone of ["5511", "+5511988887777", "", 5511988887777, null]) {
    const refused = await call("POST", "/code", { phone });
    assertEquals([refused.status, issuePaths(refused)], [400, ["phone"]], JSON.stringify(phone));
  }
  const absent = await client.call("GET", `/instances/${crypto.randomUUID()}/connection`);
  assertEquals([absent.status, absent.body.error], [404, "Instance not found"]);
});
