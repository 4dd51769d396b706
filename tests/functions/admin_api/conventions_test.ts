import { resources } from "../../../functions/admin-api/resources.ts";
import { assertEquals } from "../../support/assert.ts";
import { countRows, createAdminClient } from "./admin_client.ts";

const id = "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11";

const operations: readonly (readonly [string, string])[] = [
  ...resources.flatMap(({ path, update }) => [
    ["POST", path] as const,
    ["GET", path] as const,
    ["GET", `${path}/${id}`] as const,
    ...(update === undefined ? [] : [["PATCH", `${path}/${id}`] as const]),
  ]),
  ["POST", "/instances"],
  ["GET", "/instances"],
  ["GET", `/instances/${id}`],
  ["PATCH", `/instances/${id}`],
  ["POST", `/instances/${id}/tokens`],
  ["GET", `/instances/${id}/tokens`],
  ["DELETE", `/instances/${id}/tokens/${id}`],
  ["POST", `/instances/${id}/templates/sync`],
  ["GET", "/outbox"],
  ["POST", `/outbox/${id}/retry`],
];

Deno.test("every operation of admin-api refuses a caller without a secret key, whatever the body", async () => {
  await using client = await createAdminClient();
  for (const [method, path] of operations) {
    for (const apikey of ["", "sb_secret_of_another_project"]) {
      const body = method === "POST" || method === "PATCH" ? { name: "x" } : undefined;
      const answer = await client.call(method, path, {
        body,
        headers: { apikey, "content-type": "text/plain" },
      });
      assertEquals([answer.status, answer.body.error], [401, "invalid_secret_key"], path);
    }
  }
  assertEquals(await countRows(client, "workspaces"), 0);
});

Deno.test("an unknown id is 404 under the record's own code, and so is one that is no UUID", async () => {
  await using client = await createAdminClient();
  const codes = {
    "/workspaces/": "workspace_not_found",
    "/instances/": "Instance not found",
    "/operators/": "operator_not_found",
    "/departments/": "department_not_found",
    "/agents/": "agent_not_found",
    "/templates/": "template_not_found",
  };
  for (const [path, code] of Object.entries(codes)) {
    for (const unknown of [id, "42", `${id}0`, "%27%3B--"]) {
      const got = await client.call("GET", path + unknown);
      assertEquals([got.status, got.body.error, got.body.success], [404, code, false], path);
      if (path === "/workspaces/") continue;
      const patched = await client.call("PATCH", path + unknown, { body: { name: "x" } });
      assertEquals([patched.status, patched.body.error], [404, code], path);
    }
  }
  const retried = await client.call("POST", `/outbox/${id}/retry`);
  assertEquals([retried.status, retried.body.error], [404, "not_found"]);
});

Deno.test("a body that is no JSON object is told apart from one of another type", async () => {
  await using client = await createAdminClient();
  const plain = await client.call("POST", "/workspaces", {
    body: {},
    headers: { "content-type": "text/plain" },
  });
  assertEquals([plain.status, plain.body.error], [415, "unsupported_media_type"]);
  const list = await client.call("POST", "/workspaces", { body: [] });
  assertEquals([list.status, list.body.error], [400, "invalid_json"]);
});

Deno.test("a method that a path does not take is 405 with Allow", async () => {
  await using client = await createAdminClient();
  const answer = await client.call("DELETE", `/workspaces/${id}`);
  assertEquals([answer.status, answer.body.error], [405, "method_not_allowed"]);
  assertEquals(answer.headers.get("allow"), "GET, HEAD, OPTIONS, PATCH");
});
