/** Templates administered through the API at the simulated official channel. */
import { assert, assertEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { plain } from "../../unit/templates/submission/rule_cases.ts";
import { createAdminClient, createWorkspace } from "../admin_api/admin_client.ts";
import { createOfficialInstance, officialConfig } from "../admin_api/template_provider.ts";
import { startSimulator } from "./simulator_server.ts";

Deno.test("a template is submitted, reviewed, edited and deleted at the simulator as at Meta", async () => {
  await using server = startSimulator();
  await using client = await createAdminClient();
  await using files = startTestServer(() =>
    new Response(padded(heads.png, 1_000), { headers: { "content-type": "image/png" } })
  );
  const instanceId = await createOfficialInstance(client, await createWorkspace(client), {
    ...officialConfig(`${server.url}/graph`),
    appId: "4711",
  });
  const header = {
    type: "HEADER",
    format: "IMAGE",
    example: { mediaUrl: `${files.origin}/a.png` },
  };
  const submitted = await client.call("POST", "/templates", {
    body: { ...plain, components: [header, ...plain.components], instanceId, submit: true },
  });
  assertEquals([submitted.status, submitted.body.providerStatus], [201, "PENDING"]);
  assertEquals(submitted.body.limit, { used: 5, total: 250 });
  const { templateId, providerTemplateId } = submitted.body;
  const path = `/templates/${templateId}`;
  const decide = (status: string): Promise<unknown> =>
    server.post("/template-reviews", { templateId: providerTemplateId, status, reason: "SCAM" });
  const sync = async (): Promise<void> => {
    const { status } = await client.call("POST", `/instances/${instanceId}/templates/sync`);
    assertEquals(status, 200);
  };
  await decide("REJECTED");
  await sync();
  const rejected = await client.call("GET", path);
  assertEquals([rejected.body.providerStatus, rejected.body.rejectedReason], ["REJECTED", "SCAM"]);
  const components = [{ type: "BODY", text: "O seu pedido saiu hoje." }];
  const edited = await client.call("PATCH", path, { body: { components } });
  assertEquals([edited.status, edited.body.providerStatus, edited.body.rejectedReason], [
    200,
    "PENDING",
    null,
  ]);
  await decide("APPROVED");
  await sync();
  assertEquals((await client.call("GET", path)).body.providerStatus, "APPROVED");
  const deleted = await client.call("DELETE", path);
  assertEquals([deleted.status, deleted.body.providerStatus], [200, "DELETED"]);
  const { items } = await server.read("/templates?wabaId=10229");
  assert(items.every(({ id }) => id !== providerTemplateId));
});
