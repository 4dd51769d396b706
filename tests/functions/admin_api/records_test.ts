import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  type AdminClient,
  type Body,
  countRows,
  createAdminClient,
  createInstance,
  createWorkspace,
  issuePaths,
} from "./admin_client.ts";

const unknownId = "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11";
const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Holds that a record reads the same alone and in its collection, and gives it without instants. */
async function readBoth(client: AdminClient, path: string, id: string): Promise<Body> {
  const one = await client.call("GET", `${path}/${id}`);
  assertEquals(one.status, 200);
  const { success, createdAt, updatedAt: _, ...record } = one.body;
  assertEquals(success, true);
  assertMatch(createdAt, isoPattern);
  const list = await client.call("GET", path);
  const listed = list.body.items.filter((item: Body) => Object.values(item).includes(id));
  assertEquals([{ success, ...listed[0] }], [one.body]);
  return record;
}

Deno.test("a workspace is created, read and listed", async () => {
  await using client = await createAdminClient();
  const created = await client.create("/workspaces", { name: "  Clínica  ", unknown: 1 });
  const { workspaceId } = created;
  assertEquals(await readBoth(client, "/workspaces", workspaceId), {
    workspaceId,
    name: "Clínica",
    alertEmail: null,
    peopleScope: "instance",
    peopleScopeChange: null,
  });
});

Deno.test("a workspace's alert address is given, changed and removed, and must be an e-mail address", async () => {
  await using client = await createAdminClient();
  const body = { name: "Clínica", alertEmail: " ops@example.com " };
  const { workspaceId } = await client.create("/workspaces", body);
  const read = async (): Promise<unknown> =>
    (await client.call("GET", `/workspaces/${workspaceId}`)).body.alertEmail;
  assertEquals(await read(), "ops@example.com");
  const change = (alertEmail: unknown) =>
    client.call("PATCH", `/workspaces/${workspaceId}`, { body: { alertEmail } });
  assertEquals((await change("alerts@example.com")).body.alertEmail, "alerts@example.com");
  assertEquals((await change("nobody")).status, 400);
  await change(null);
  assertEquals(await read(), "alerts@example.com");
  await change("");
  assertEquals(await read(), null);
});

Deno.test("a department is created, renamed, read and listed by workspace", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const otherId = await createWorkspace(client);
  const { departmentId } = await client.create("/departments", { workspaceId, name: "Vendas" });
  await client.create("/departments", { workspaceId: otherId, name: "Suporte" });
  const renamed = await client.call("PATCH", `/departments/${departmentId}`, {
    body: { name: "Comercial" },
  });
  assertEquals([renamed.status, renamed.body.name], [200, "Comercial"]);
  assertEquals(await readBoth(client, "/departments", departmentId), {
    departmentId,
    workspaceId,
    name: "Comercial",
  });
  const own = await client.call("GET", `/departments?workspaceId=${workspaceId}`);
  assertEquals(own.body.items.map((item: Body) => item.departmentId), [departmentId]);
});

Deno.test("an operator's e-mail is one person's in a workspace, whatever its case", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const ana = { workspaceId, name: "Ana", email: "Ana@clinica.example" };
  const { operatorId } = await client.create("/operators", ana);
  const again = await client.call("POST", "/operators", {
    body: { ...ana, email: "ana@CLINICA.example" },
  });
  assertEquals([again.status, again.body.error, issuePaths(again)], [409, "already_exists", [
    "email",
  ]]);
  await client.create("/operators", { ...ana, workspaceId: await createWorkspace(client) });

  const { operatorId: benId } = await client.create("/operators", {
    workspaceId,
    name: "Ben",
    email: "ben@clinica.example",
  });
  const taken = await client.call("PATCH", `/operators/${benId}`, {
    body: { name: "Benjamin", email: "ANA@clinica.example" },
  });
  assertEquals([taken.status, taken.body.error, issuePaths(taken)], [409, "already_exists", [
    "email",
  ]]);
  assertEquals((await readBoth(client, "/operators", benId)).name, "Ben");
  const own = await client.call("PATCH", `/operators/${operatorId}`, {
    body: { email: "ANA@clinica.example" },
  });
  assertEquals([own.status, own.body.email, own.body.name], [200, "ANA@clinica.example", "Ana"]);
});

Deno.test("an agent is created active, changed field by field and listed by instance", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const request = { instanceId, name: "Bia", instructions: "Atenda {{name}}.", model: "gpt-x" };
  const { agentId, isActive } = await client.create("/agents", request);
  assertEquals(isActive, true);
  const changed = await client.call("PATCH", `/agents/${agentId}`, { body: { isActive: false } });
  assertEquals(
    [changed.status, changed.body.maxMessagesPerAnswer, changed.body.answersWithin],
    [200, 1, 21_600],
  );
  const outside = { maxMessagesPerAnswer: [0, 11], answersWithin: [0, 2_592_001] };
  for (const [setting, values] of Object.entries(outside)) {
    for (const value of values) {
      const refused = await client.call("PATCH", `/agents/${agentId}`, {
        body: { [setting]: value },
      });
      assertEquals([refused.status, refused.body.issues[0].path], [400, setting]);
    }
  }
  await client.call("PATCH", `/agents/${agentId}`, {
    body: { maxMessagesPerAnswer: 10, answersWithin: 60 },
  });
  assertEquals(await readBoth(client, "/agents", agentId), {
    ...request,
    agentId,
    isActive: false,
    maxMessagesPerAnswer: 10,
    answersWithin: 60,
  });
  const other = await client.call("GET", `/agents?instanceId=${await createInstance(client)}`);
  assertEquals(other.body.items, []);
});

Deno.test("what belongs to an unknown workspace or instance is 404, and nothing is stored", async () => {
  await using client = await createAdminClient();
  const refusals = [
    ["/operators", { workspaceId: unknownId, name: "A", email: "a@b.example" }],
    ["/departments", { workspaceId: unknownId, name: "A" }],
    ["/agents", { instanceId: unknownId, name: "A", instructions: "A", model: "A" }],
  ] as const;
  for (const [path, body] of refusals) {
    const created = await client.call("POST", path, { body });
    const code = path === "/agents" ? "Instance not found" : "workspace_not_found";
    assertEquals([created.status, created.body.error], [404, code]);
    const owner = path === "/agents" ? "instanceId" : "workspaceId";
    const listed = await client.call("GET", `${path}?${owner}=${unknownId}`);
    assertEquals([listed.status, listed.body.error], [404, code]);
  }
  for (const table of ["operators", "departments", "ai_agents"]) {
    assertEquals(await countRows(client, table), 0);
  }
});

Deno.test("every fault of a body is told at once, and nothing is stored", async () => {
  await using client = await createAdminClient();
  const cases = [
    ["/workspaces", { name: "   " }, ["name"]],
    ["/workspaces", { name: "x".repeat(201) }, ["name"]],
    ["/departments", { workspaceId: "42" }, ["name", "workspaceId"]],
    ["/operators", { name: 1, email: "not an e-mail" }, ["email", "name", "workspaceId"]],
    ["/agents", { isActive: "yes" }, ["instanceId", "instructions", "isActive", "model", "name"]],
  ] as const;
  for (const [path, body, paths] of cases) {
    const answer = await client.call("POST", path, { body });
    assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
    assertEquals(issuePaths(answer), [...paths]);
  }
  for (const table of ["workspaces", "departments", "operators", "ai_agents"]) {
    assertEquals(await countRows(client, table), 0);
  }
});

Deno.test("a collection is handed out page by page, each record once, also under new ones", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const names = ["A", "B", "C", "D", "E"];
  for (const name of names) await client.create("/departments", { workspaceId, name });
  // One instant for all: the order must not depend on it.
  await client.database
    .admin`update messaging.departments set created_at = '2026-01-01 00:00:00.123456+00'`;
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = await client.call("GET", `/departments?limit=2${cursor}`);
    assertEquals(page.status, 200);
    assert(page.body.items.length <= 2);
    seen.push(...page.body.items.map((item: Body) => item.name));
    if (seen.length === 2) await client.create("/departments", { workspaceId, name: "F" });
    cursor = page.body.nextCursor === null ? "" : `&cursor=${page.body.nextCursor}`;
  } while (cursor !== "");
  assertEquals(seen.toSorted(), [...names, "F"]);
  const whole = await client.call("GET", "/departments");
  assertEquals([whole.body.items.length, whole.body.nextCursor], [6, null]);
  const full = await client.call("GET", "/departments?limit=6");
  assertEquals(full.body, whole.body);
});

Deno.test("a page has 1 to 1000 records, and a cursor comes from a page", async () => {
  await using client = await createAdminClient();
  for (const query of ["limit=0", "limit=1001", "limit=1.5", "limit=", "limit=x"]) {
    const answer = await client.call("GET", `/workspaces?${query}`);
    assertEquals([answer.status, issuePaths(answer)], [400, ["limit"]], query);
  }
  const forged = btoa(JSON.stringify({ createdAt: "now()", id: unknownId })).replaceAll("=", "");
  for (const cursor of ["x", "%00", "e30", forged]) {
    const answer = await client.call("GET", `/workspaces?cursor=${cursor}`);
    assertEquals([answer.status, issuePaths(answer)], [400, ["cursor"]], cursor);
  }
  const filtered = await client.call("GET", "/operators?workspaceId=42");
  assertEquals([filtered.status, issuePaths(filtered)], [400, ["workspaceId"]]);
});
