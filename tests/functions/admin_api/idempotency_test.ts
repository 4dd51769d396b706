import { assert, assertEquals, assertNotEquals } from "../../support/assert.ts";
import {
  type AdminAnswer,
  type AdminClient,
  countRows,
  createAdminClient,
  createInstance,
  createWorkspace,
  instanceRequest,
} from "./admin_client.ts";

function post(client: AdminClient, path: string, body: unknown, key: string): Promise<AdminAnswer> {
  return client.call("POST", path, { body, headers: { "idempotency-key": key } });
}

Deno.test("every POST that creates gives its first answer again under the same key", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const instanceId = await createInstance(client, workspaceId);
  const posts = [
    ["/workspaces", { name: "A" }, "workspaces"],
    ["/instances", instanceRequest(workspaceId), "instances"],
    [`/instances/${instanceId}/tokens`, { label: "crm" }, "client_tokens"],
    ["/operators", { workspaceId, name: "A", email: "a@b.example" }, "operators"],
    ["/departments", { workspaceId, name: "A" }, "departments"],
    ["/agents", { instanceId, name: "A", instructions: "B", model: "C" }, "ai_agents"],
    ["/templates", {
      instanceId,
      name: "a",
      language: "en",
      parameterFormat: "NAMED",
      components: [{ type: "BODY", text: "x" }],
      providerTemplateId: "1",
    }, "message_templates"],
  ] as const;
  for (const [path, body, table] of posts) {
    const before = await countRows(client, table);
    const first = await post(client, path, body, `key ${path}`);
    const second = await post(client, path, body, `"key ${path}"`);
    assertEquals([first.status, second.status], [201, 201], path);
    assertEquals(second.body, first.body);
    assertEquals(first.headers.get("idempotent-replayed"), null);
    assertEquals(second.headers.get("idempotent-replayed"), "true");
    assertEquals(await countRows(client, table), before + 1, path);
    const other = await post(client, path, { ...body, name: "other", label: "x" }, `key ${path}`);
    assertEquals([other.status, other.body.error], [422, "idempotency_key_reused"]);
  }
});

Deno.test("a lost token comes back under its key, from a copy that the database cannot read", async () => {
  await using client = await createAdminClient();
  const path = `/instances/${await createInstance(client)}/tokens`;
  const first = await post(client, path, {}, "rotation");
  const [kept] = await client.database.admin`select outcome from messaging.idempotency_keys`;
  const outcome = kept?.["outcome"];
  assert(!JSON.stringify(outcome).includes(first.body.token.slice(4)));
  assertEquals(
    await client.vault.open(outcome.sealedToken, first.body.tokenId),
    first.body.token,
  );
  const second = await post(client, path, {}, "rotation");
  assertEquals(second.body, first.body);
  assert(!("sealedToken" in second.body));
  assertNotEquals((await post(client, path, {}, "another")).body.token, first.body.token);
  assertEquals(await countRows(client, "client_tokens"), 2);
});

Deno.test("simultaneous calls with one key create once", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const body = instanceRequest(workspaceId);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => post(client, "/instances", body, "once")),
  );
  assertEquals([...new Set(answers.map((answer) => answer.text))].length, 1);
  assertEquals(answers.filter(({ headers }) => !headers.has("idempotent-replayed")).length, 1);
  assertEquals(await countRows(client, "instances"), 1);
});

Deno.test("a refusal keeps no key: the corrected cause is tried again", async () => {
  await using client = await createAdminClient();
  const workspaceId = "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11";
  const body = { workspaceId, name: "Vendas" };
  const refused = await post(client, "/departments", body, "k");
  assertEquals(refused.status, 404);
  assertEquals((await post(client, "/departments", { name: 1 }, "k")).status, 400);
  assertEquals(await countRows(client, "idempotency_keys"), 0);
  await client.database
    .admin`insert into messaging.workspaces (id, name) values (${workspaceId}, 'A')`;
  const created = await post(client, "/departments", body, "k");
  assertEquals([created.status, created.headers.has("idempotent-replayed")], [201, false]);
});
