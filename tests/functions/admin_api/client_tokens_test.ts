import { tokenScopes } from "../../../shared/model/token_scope.ts";
import { hashClientToken } from "../../../shared/crypto/client_token.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  type AdminClient,
  type Body,
  countRows,
  createAdminClient,
  createInstance,
  issuePaths,
} from "./admin_client.ts";

/** Which instance a token opens; null for one that opens none. */
async function openedBy(client: AdminClient, token: string): Promise<string | null> {
  const answer = await client.rpc<Body>("authenticate_client", {
    tokenHash: await hashClientToken(token),
    functionName: "send-message",
  });
  return answer.instance?.instanceId ?? null;
}

Deno.test("a token opens its instance and is shown once", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const path = `/instances/${instanceId}/tokens`;
  const issued = await client.create(path, {
    label: "crm",
    expiresAt: "2099-01-01T00:00:00-03:00",
  });
  assertMatch(issued.token, /^mia_[A-Za-z0-9_-]{43}$/);
  assertEquals(await openedBy(client, issued.token), instanceId);

  const listed = await client.call("GET", path);
  const [item] = listed.body.items;
  const { lastUsedAt, createdAt: _, ...rest } = item;
  assertEquals(rest, {
    tokenId: issued.tokenId,
    instanceId,
    label: "crm",
    scopes: [...tokenScopes],
    mcp: { recipients: "known", maxSendsPerHour: 30 },
    expiresAt: "2099-01-01T03:00:00.000Z",
    revokedAt: null,
  });
  assertMatch(lastUsedAt, /^\d{4}-/);
  assert(!listed.text.includes(issued.token.slice(4)));
  const read = await client.call("GET", `${path}/${issued.tokenId}`);
  assertEquals([read.status, read.body], [200, { success: true, ...item }]);
  for (const missing of [crypto.randomUUID(), "none"]) {
    const { status, body } = await client.call("GET", `${path}/${missing}`);
    assertEquals([status, body.error], [404, "token_not_found"]);
  }
  const rows = await client.database.admin`select t::text from messaging.client_tokens t`;
  assert(!JSON.stringify(rows).includes(issued.token.slice(4)));
  assertEquals(await countRows(client, "idempotency_keys"), 0);
  assert(!client.logLines.some((line) => line.includes(issued.token)));
});

Deno.test("two tokens live side by side, and revoking one closes that one alone", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const path = `/instances/${instanceId}/tokens`;
  const first = await client.create(path, {});
  const second = await client.create(path, {});
  assertEquals(await openedBy(client, first.token), instanceId);
  assertEquals(await openedBy(client, second.token), instanceId);

  const revoked = await client.call("DELETE", `${path}/${first.tokenId}`);
  assertEquals([revoked.status, revoked.body.tokenId], [200, first.tokenId]);
  assertMatch(revoked.body.revokedAt, /^\d{4}-/);
  assertEquals(await openedBy(client, first.token), null);
  assertEquals(await openedBy(client, second.token), instanceId);
  const again = await client.call("DELETE", `${path}/${first.tokenId}`);
  assertEquals([again.status, again.body], [200, revoked.body]);
  const { body } = await client.call("GET", path);
  assertEquals(body.items.map((item: Body) => item.revokedAt !== null), [true, false]);
});

Deno.test("a token is revoked through its own instance alone", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const otherId = await createInstance(client);
  const { tokenId, token } = await client.create(`/instances/${instanceId}/tokens`, {});
  const unknown = "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11";
  const cases = [
    [`/instances/${otherId}/tokens/${tokenId}`, "token_not_found"],
    [`/instances/${instanceId}/tokens/${unknown}`, "token_not_found"],
    [`/instances/${instanceId}/tokens/42`, "token_not_found"],
    [`/instances/${unknown}/tokens/${tokenId}`, "Instance not found"],
    [`/instances/42/tokens/${tokenId}`, "Instance not found"],
  ] as const;
  for (const [path, code] of cases) {
    const answer = await client.call("DELETE", path);
    assertEquals([answer.status, answer.body.error], [404, code], path);
  }
  assertEquals(await openedBy(client, token), instanceId);
});

Deno.test("a token that would be dead or of nothing is refused, and nothing is stored", async () => {
  await using client = await createAdminClient();
  const path = `/instances/${await createInstance(client)}/tokens`;
  const wrong = [
    ...["2020-01-01T00:00:00Z", "2099-01-01", "2099-01-01T00:00:00+23:00"],
    ...["tomorrow", 4_070_908_800],
  ];
  for (const expiresAt of wrong) {
    const answer = await client.call("POST", path, { body: { expiresAt } });
    assertEquals([answer.status, issuePaths(answer)], [400, ["expiresAt"]]);
  }
  const unlabeled = await client.call("POST", path, { body: { label: "x".repeat(300) } });
  assertEquals([unlabeled.status, issuePaths(unlabeled)], [400, ["label"]]);
  const unknown = "/instances/3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11/tokens";
  for (const method of ["POST", "GET"]) {
    const answer = await client.call(method, unknown, method === "POST" ? { body: {} } : {});
    assertEquals([answer.status, answer.body.error], [404, "Instance not found"]);
  }
  assertEquals(await countRows(client, "client_tokens"), 0);
});

Deno.test("a token has the scopes that it is issued with, wherever it is shown, and all without any", async () => {
  await using client = await createAdminClient();
  const path = `/instances/${await createInstance(client)}/tokens`;
  const rows = [
    [{ scopes: ["history", "send", "send"] }, ["send", "history"]],
    [{ scopes: ["events"] }, ["events"]],
    [{ scopes: [...tokenScopes].reverse() }, tokenScopes],
    [{ scopes: null }, tokenScopes],
    [{}, tokenScopes],
  ] as const;
  for (const [request, scopes] of rows) {
    const issued = await client.create(path, request);
    const { body: read } = await client.call("GET", `${path}/${issued.tokenId}`);
    const { body: listed } = await client.call("GET", path);
    const shown = [issued, read, listed.items.at(-1)].map((token) => token.scopes);
    assertEquals(shown, [scopes, scopes, scopes]);
  }
  const stored = await client.database.admin`
    select scopes from messaging.client_tokens order by created_at, id`;
  // NULL is everything, also what later releases add.
  assertEquals(stored.map((row) => row["scopes"]), [
    ["send", "history"],
    ["events"],
    ...[null, null, null],
  ]);
});

Deno.test("an empty list of scopes and unknown names are refused, and no token is issued", async () => {
  await using client = await createAdminClient();
  const path = `/instances/${await createInstance(client)}/tokens`;
  for (const scopes of [[], ["admin"], ["send", "Send"], [""], [5], [null], "send", {}]) {
    const { status, body } = await client.call("POST", path, { body: { scopes } });
    assertEquals([status, body.error], [400, "invalid_request"], JSON.stringify(scopes));
    assert(body.issues[0].path.startsWith("scopes"), JSON.stringify(body.issues));
  }
  assertEquals(await countRows(client, "client_tokens"), 0);
});
