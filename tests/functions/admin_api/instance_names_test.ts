import { assertEquals } from "../../support/assert.ts";
import {
  type AdminAnswer,
  type AdminClient,
  type Body,
  countRows,
  createAdminClient,
  createWorkspace,
  instanceRequest,
  issuePaths,
} from "./admin_client.ts";

const secret = "secret-of-at-least-24-characters";
/** Configurations by provider, with the provider's own id of the instance. */
const configs = {
  zapi: (id: string) => ({ gatewayInstanceId: id, token: "secret-t", webhookSecret: secret }),
  evolution: (id: string) => ({
    ...{ baseUrl: "http://127.0.0.1:9", instanceName: id, apiKey: "secret-k" },
    webhookSecret: secret,
  }),
  whatsapp_cloud: (id: string) => ({
    ...{ phoneNumberId: id, accessToken: "secret-a", appSecret: "0".repeat(32) },
    ...{ verifyToken: secret, wabaId: "777" },
  }),
} as const;
const idFields = {
  zapi: "providerConfig.gatewayInstanceId",
  evolution: "providerConfig.instanceName",
  whatsapp_cloud: "providerConfig.phoneNumberId",
} as const;
type Kind = keyof typeof configs;
const kinds = Object.keys(configs) as Kind[];

function request(
  workspaceId: string,
  provider: Kind,
  id: string,
  settings: object = {},
): Record<string, unknown> {
  const providerConfig = configs[provider](id);
  return { ...instanceRequest(workspaceId), provider, providerConfig, ...settings };
}

function post(
  client: AdminClient,
  body: Body,
  headers: Record<string, string> = {},
): Promise<AdminAnswer> {
  return client.call("POST", "/instances", { body, headers });
}

Deno.test("a provider's own id and a business instance id belong to one instance, of any tenant", async () => {
  await using client = await createAdminClient();
  for (const provider of kinds) {
    const business = `clinic-${provider}`;
    const settings = { businessInstanceId: business };
    const workspaceId = await createWorkspace(client);
    const first = await client.create("/instances", request(workspaceId, provider, "1", settings));
    const others: readonly (readonly [Body, string])[] = [
      [request(await createWorkspace(client), provider, "1"), idFields[provider]],
      [request(workspaceId, provider, "1", { businessInstanceId: "x" }), idFields[provider]],
      [request(workspaceId, provider, "2", settings), "businessInstanceId"],
      // What one is called by another is called otherwise.
      [request(workspaceId, provider, business), idFields[provider]],
    ];
    for (const [body, path] of others) {
      const { status, body: answer, ...rest } = await post(client, body);
      assertEquals([status, answer.error], [409, "already_exists"], provider);
      assertEquals(issuePaths({ status, body: answer, ...rest }), [path]);
    }
    const second = await client.create("/instances", request(workspaceId, provider, "2"));
    const changes: readonly (readonly [object, string])[] = [
      [{ providerConfig: configs[provider]("1") }, idFields[provider]],
      [{ name: "changed", businessInstanceId: business }, "businessInstanceId"],
    ];
    for (const [body, path] of changes) {
      const refused = await client.call("PATCH", `/instances/${second.instanceId}`, { body });
      assertEquals([refused.status, refused.body.error], [409, "already_exists"], provider);
      assertEquals(issuePaths(refused), [path]);
    }
    assertEquals((await client.call("GET", `/instances/${second.instanceId}`)).body, second);
    // Its own are no others'.
    const same = { providerConfig: configs[provider]("1"), businessInstanceId: business };
    const kept = await client.call("PATCH", `/instances/${first.instanceId}`, { body: same });
    assertEquals(kept.status, 200, kept.text);
  }
});

Deno.test("instances of different providers may have one own id, and each is found by what is its own", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const zapi = await client.create("/instances", request(workspaceId, "zapi", "main"));
  assertEquals((await client.call("GET", "/instances/main")).body.instanceId, zapi.instanceId);
  const evolution = await client.create("/instances", request(workspaceId, "evolution", "main"));
  const unclear = await client.call("GET", "/instances/main");
  assertEquals([unclear.status, unclear.body.error], [400, "invalid_request"]);
  assertEquals(issuePaths(unclear), ["instanceId"]);
  for (const { instanceId, embedKey } of [zapi, evolution]) {
    const read = await client.call("GET", `/instances/${embedKey}`);
    assertEquals([read.status, read.body.instanceId], [200, instanceId]);
  }
  const named = await client.call("PATCH", `/instances/${zapi.instanceId}`, {
    body: { businessInstanceId: "desk" },
  });
  assertEquals(named.status, 200);
  assertEquals((await client.call("GET", "/instances/main")).body.instanceId, evolution.instanceId);
  // A name that looks like another instance's id does not stand in its way.
  const named2 = await client.call("PATCH", `/instances/${evolution.instanceId}`, {
    body: { businessInstanceId: zapi.instanceId },
  });
  assertEquals(named2.status, 200);
  const webhook = await client.database.sql`
    select public.find_webhook_instance(${
    client.database.sql.json({ provider: "zapi", instanceRef: zapi.instanceId })
  }) as found`;
  assertEquals(webhook[0]?.["found"].instance.instanceId, zapi.instanceId);
});

Deno.test("of simultaneous instances with one id one is created, and a refusal keeps no key", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const bodies = [
    () => request(workspaceId, "whatsapp_cloud", "42"),
    (place: number) =>
      request(workspaceId, kinds[place % 3]!, `id-${place}`, { businessInstanceId: "clinic" }),
  ];
  for (const [place, body] of bodies.entries()) {
    const answers = await Promise.all(
      Array.from(
        { length: 9 },
        (_, call) => post(client, body(call), { "idempotency-key": `${place}-${call}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assertEquals(statuses, [201, ...Array(8).fill(409)]);
  }
  assertEquals(await countRows(client, "instances"), 2);
  assertEquals(await countRows(client, "idempotency_keys"), 2);
  assertEquals(await countRows(client, "dispatch"), 2);
});

Deno.test("simultaneous changes to one name leave it to one instance", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const instances = await Promise.all(
    Array.from(
      { length: 6 },
      (_, place) => client.create("/instances", request(workspaceId, "zapi", `g-${place}`)),
    ),
  );
  const answers = await Promise.all(
    instances.map(({ instanceId }) =>
      client.call("PATCH", `/instances/${instanceId}`, { body: { businessInstanceId: "clinic" } })
    ),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [200, ...Array(5).fill(409)]);
});

Deno.test("several numbers of one Meta app share everything but phoneNumberId", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  for (const id of ["1", "2", undefined, undefined]) {
    const { phoneNumberId: _, ...app } = configs.whatsapp_cloud("");
    const providerConfig = id === undefined ? app : { ...app, phoneNumberId: id };
    const body = { ...request(workspaceId, "whatsapp_cloud", "x"), providerConfig };
    assertEquals((await post(client, body)).status, 201);
  }
});
