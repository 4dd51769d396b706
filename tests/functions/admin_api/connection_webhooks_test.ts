/** The service sets the webhooks of gateways while a phone is being connected, and says where events go. */

import { assertEquals, assertFalse } from "../../support/assert.ts";
import { type SimulatorServer, startSimulator } from "../simulator/simulator_server.ts";
import { type AdminClient, createAdminClient, createWorkspace } from "./admin_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const functions = "https://api.example.com/functions/v1";
const secret = "a-secret-of-32-characters-or-more";

interface Fixture {
  readonly instanceId: string;
  readonly name: string;
  readonly own: string;
  call(method: string, path: string): Promise<Body>;
  health(): Promise<Body>;
  /** What the gateway was told to call. */
  address(): Promise<string | null>;
}

async function createInstance(
  client: AdminClient,
  { url, post }: SimulatorServer,
  provider: "zapi" | "evolution",
  settings: Body = {},
): Promise<Fixture> {
  const name = `N${Math.floor(Math.random() * 1e9)}`;
  const baseUrl = `${url}/${provider}`;
  const isZapi = provider === "zapi";
  const { instanceId } = await client.create("/instances", {
    ...{ workspaceId: await createWorkspace(client), name: "A", provider },
    ...{ connectedPhone: "551188887777", timeZone: "America/Sao_Paulo", ...settings },
    providerConfig: isZapi
      ? { baseUrl, gatewayInstanceId: name, token: secret, webhookSecret: secret }
      : { baseUrl, instanceName: name, apiKey: secret, webhookSecret: secret },
  });
  await post("/webhooks", { provider, instance: name, url: "http://127.0.0.1:9/" });
  await post("/connections", { provider, instance: name, state: "disconnected" });
  return {
    ...{ instanceId, name, own: `${functions}/provider-webhook/${provider}/${instanceId}` },
    call: async (method, path) => {
      const answer = await client.call(method, `/instances/${instanceId}/connection${path}`);
      assertFalse(answer.text.includes(secret), "no secret of an address is told");
      return answer.body;
    },
    health: async () => (await client.rpc("get_instance_health", { instanceId })).webhooks,
    async address(): Promise<string | null> {
      const asked = isZapi
        ? fetch(`${baseUrl}/instances/${name}/token/${secret}/me`)
        : fetch(`${baseUrl}/webhook/find/${name}`, { headers: { apikey: secret } });
      const told = await (await asked).json();
      return isZapi ? told.connectedCallbackUrl : told?.url ?? null;
    },
  };
}

/** Points the gateway's webhook elsewhere, as its panel does. */
async function point(
  { url }: SimulatorServer,
  provider: "zapi" | "evolution",
  name: string,
  address: string,
): Promise<void> {
  const headers = { "content-type": "application/json", apikey: secret };
  const response = provider === "zapi"
    ? await fetch(`${url}/zapi/instances/${name}/token/${secret}/update-every-webhooks`, {
      ...{ method: "PUT", headers, body: JSON.stringify({ value: address }) },
    })
    : await fetch(`${url}/evolution/webhook/set/${name}`, {
      ...{ method: "POST", headers },
      body: JSON.stringify({ webhook: { enabled: true, url: address, events: ["CALL"] } }),
    });
  await response.body?.cancel();
}

for (const provider of ["zapi", "evolution"] as const) {
  Deno.test(`connecting a phone at ${provider} sets the webhooks, and asks for them once`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { own, call, health, address } = await createInstance(client, simulator, provider);
    assertEquals(await health(), { state: "unknown", url: null });
    assertEquals((await call("GET", "")).webhooks, {
      ...{ state: "elsewhere", url: "http://127.0.0.1:9" },
    });

    assertEquals((await call("POST", "/qr")).success, true);

    assertEquals(await address(), `${own}/${secret}`);
    assertEquals(await health(), { state: "ours", url: own });
    assertEquals((await call("GET", "")).webhooks, { state: "ours", url: own });
  });

  Deno.test(`events of ${provider} that go elsewhere are told by the origin, and taken back`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, own, call, health, address } = await createInstance(client, simulator, provider);
    await call("POST", "/qr");
    await point(simulator, provider, name, "https://n8n.example.com/webhook/a-secret-path?key=1");
    assertEquals((await call("GET", "")).webhooks, {
      ...{ state: "elsewhere", url: "https://n8n.example.com" },
    });
    assertEquals(await health(), { state: "elsewhere", url: "https://n8n.example.com" });
    const other = `${functions}/provider-webhook/${provider}/${crypto.randomUUID()}`;
    await point(simulator, provider, name, `${other}/its-own-secret`);
    assertEquals((await call("GET", "")).webhooks, { state: "elsewhere", url: other });

    await call("POST", "/qr");

    assertEquals(await address(), `${own}/${secret}`, "while a phone is being connected");
    assertEquals(await health(), { state: "ours", url: own });
  });

  Deno.test(`configureWebhooks false leaves those of ${provider} as they are, but for an explicit call`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, own, call, address } = await createInstance(client, simulator, provider, {
      configureWebhooks: false,
    });
    await point(simulator, provider, name, "https://n8n.example.com/webhook/1");
    assertEquals((await call("POST", "/qr")).success, true);
    assertEquals(await address(), "https://n8n.example.com/webhook/1");

    assertEquals(await call("POST", "/webhooks"), { success: true, state: "ours", url: own });

    assertEquals(await address(), `${own}/${secret}`);
  });

  Deno.test(`a ${provider} that cannot be asked stops no phone, and says that nothing is known`, async () => {
    await using client = await createAdminClient();
    await using simulator = startSimulator();
    const { name, call, health } = await createInstance(client, simulator, provider);
    await simulator.post("/sessions", { provider, instance: name, behavior: "down" });
    assertEquals((await call("POST", "/webhooks")).error, "provider_connection_failed");
    assertEquals((await call("GET", "")).webhooks, { state: "unknown", url: null });
    assertEquals(await health(), { state: "unknown", url: null });
  });
}

Deno.test("other credentials forget where the former ones' events went", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { instanceId, call, health } = await createInstance(client, simulator, "zapi");
  await call("POST", "/qr");
  assertEquals((await health()).state, "ours");
  const providerConfig = {
    ...{ baseUrl: `${simulator.url}/zapi`, gatewayInstanceId: "ANOTHER", token: secret },
    webhookSecret: `${secret}-2`,
  };
  await client.call("PATCH", `/instances/${instanceId}`, { body: { providerConfig } });
  assertEquals(await health(), { state: "unknown", url: null });
});

Deno.test("an official number is seen by its own configuration, and its account's address is overridden", async () => {
  await using client = await createAdminClient();
  await using simulator = startSimulator();
  const { instanceId } = await client.create("/instances", {
    ...{ workspaceId: await createWorkspace(client), name: "A", provider: "whatsapp_cloud" },
    ...{ connectedPhone: "551140001234", timeZone: "America/Sao_Paulo" },
    providerConfig: {
      ...{ baseUrl: `${simulator.url}/graph`, phoneNumberId: "106540352242922" },
      ...{ wabaId: "102290129340398", accessToken: secret, appSecret: secret, verifyToken: secret },
    },
  });
  const own = `${functions}/provider-webhook/whatsapp_cloud/${instanceId}`;
  const call = (method: string, path: string): ReturnType<AdminClient["call"]> =>
    client.call(method, `/instances/${instanceId}/connection${path}`);
  assertEquals((await call("GET", "")).body.webhooks, { state: "elsewhere", url: null });
  // The app's address is another instance's of this service, which hands the events on.
  const sibling = `${functions}/provider-webhook/whatsapp_cloud/${crypto.randomUUID()}`;
  simulator.simulator.webhooks.register(
    (await import(
      "../../../supabase/local/simulator/whatsapp_cloud/channel.ts"
    )).whatsappCloud,
    {
      ...{ provider: "whatsapp_cloud", instance: "106540352242922", url: sibling },
    },
  );
  assertEquals((await call("GET", "")).body.webhooks, { state: "ours", url: own });
  assertEquals((await call("POST", "/webhooks")).body, { success: true, state: "ours", url: own });
});
