import { assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { createToken } from "../../support/fixtures/tenant.ts";
import { contents, createContextClient, issuePaths, phone } from "./context_client.ts";

Deno.test("messages-context refuses a caller without a valid token, whatever else is wrong", async () => {
  await using client = await createContextClient();
  const none = await client.request("/messages-context?phone=x");
  assertEquals([none.status, none.body.error, none.body.success], [
    401,
    "missing_client_token",
    false,
  ]);
  const { instanceId } = client.tenant;
  const past = new Date(Date.now() - 1_000);
  const { admin } = client.testDatabase;
  const expired = await createToken(admin, instanceId, { expiresAt: past });
  const revoked = await createToken(admin, instanceId, { revokedAt: past });
  for (const token of ["unknown", expired.token, revoked.token]) {
    const answer = await client.read({ phone: "x" }, { "X-Client-Token": token });
    assertEquals([answer.status, answer.body.error], [401, "invalid_client_token"]);
  }
});

Deno.test("messages-context takes GET alone and answers preflight", async () => {
  await using client = await createContextClient();
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const answer = await client.request("/messages-context", { method });
    assertEquals([answer.status, answer.body.error], [405, "method_not_allowed"], method);
    assertEquals(answer.headers.get("allow"), "GET, HEAD, OPTIONS");
  }
  const preflight = await client.request("/messages-context", {
    method: "OPTIONS",
    headers: { Origin: "https://panel.example.com", "Access-Control-Request-Method": "GET" },
  });
  assertEquals(preflight.status, 204);
  assertMatch(preflight.headers.get("access-control-allow-headers") ?? "", /X-Client-Token/);
  const below = await client.request("/messages-context/raw");
  assertEquals([below.status, below.body.error], [404, "not_found"]);
});

Deno.test("messages-context names the request, reads twice at most and logs no phone and no text", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact({ name: "Ana Segredo" });
  await client.write(contact, { message: "Conteúdo secreto" });
  const answer = await client.read({}, { "X-Request-Id": "trace-1" });
  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("x-request-id"), "trace-1");
  assertEquals(contents(answer), ["Conteúdo secreto"]);
  assertEquals(client.rpcNames, ["authenticate_client", "read_history"]);
  assertEquals(client.logLines.length, 1);
  for (const secret of [phone, "Segredo", "secreto", client.tenant.token]) {
    assertFalse(client.logLines.join().includes(secret), secret);
  }
});

Deno.test("an instance is named by its id, its business id or its embed key", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  await client.write(contact, { message: "Oi" });
  const { instanceId, businessInstanceId, embedKey, gatewayInstanceId } = client.tenant;
  for (const reference of [instanceId, instanceId.toUpperCase(), businessInstanceId, embedKey]) {
    const answer = await client.read({ instanceId: reference ?? "" });
    assertEquals(answer.status, 200, answer.text);
    assertEquals(contents(answer), ["Oi"]);
    assertEquals(answer.body.instanceInfo, { instanceId, gatewayInstanceId });
  }
});

Deno.test("an instance is named by its connected number, in either spelling", async () => {
  await using client = await createContextClient();
  const mobile = "5511977776666";
  await client.testDatabase.admin`
    update messaging.instances set connected_phone = ${mobile}, connected_phone_key = ${mobile}`;
  const contact = await client.createContact();
  await client.write(contact, { message: "Oi" });
  for (const connectedPhone of [mobile, "551177776666"]) {
    for (const instanceId of [undefined, client.tenant.instanceId]) {
      const answer = await client.read({ instanceId, connectedPhone });
      assertEquals(answer.status, 200, answer.text);
      assertEquals(contents(answer), ["Oi"]);
    }
  }
});

Deno.test("an instance that the token does not open is the same 404 as one that is not there", async () => {
  await using client = await createContextClient();
  const other = await client.createTenant({ workspaceId: client.tenant.workspaceId });
  await client.testDatabase.admin`
    update messaging.instances set connected_phone = '551130001111', connected_phone_key = '551130001111'
    where id = ${other.instanceId}`;
  const own = client.tenant;
  const queries = [
    { instanceId: other.instanceId },
    { instanceId: other.embedKey },
    { instanceId: crypto.randomUUID() },
    { instanceId: "nobody" },
    { instanceId: undefined, connectedPhone: "551130001111" },
    { instanceId: undefined, connectedPhone: "551130009999" },
    { instanceId: own.instanceId, connectedPhone: "551130001111" },
    { instanceId: other.instanceId, connectedPhone: own.connectedPhone },
  ];
  for (const query of queries) {
    const answer = await client.read(query);
    assertEquals([answer.status, answer.body.error], [404, "Instance not found"], answer.text);
    assertEquals(Object.keys(answer.body).sort(), ["docs", "error", "message", "success"]);
  }
  assertFalse(client.rpcNames.includes("read_history"));
});

Deno.test("without instanceId and connectedPhone the request is invalid", async () => {
  await using client = await createContextClient();
  const answer = await client.read({ instanceId: undefined });
  assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
  assertEquals(issuePaths(answer), ["instanceId"]);
});
