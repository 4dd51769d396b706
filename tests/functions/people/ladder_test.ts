/** A ladder's templates are marketing like any other: a denial at another unit counts. */

import { assertEquals } from "../../support/assert.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { phone, startLadderClient } from "../outside_window/ladder_client.ts";

Deno.test("a marketing rung is not taken by whom another unit was told no, before this unit's contact knows", async () => {
  await using ladder = await startLadderClient();
  const { client, tenant } = ladder;
  const { stack } = client;
  const { workspaceId } = tenant;
  const other = await stack.createTenant({ workspaceId, provider: "zapi" });
  const path = `/workspaces/${workspaceId}`;
  await administer(stack, "PATCH", path, { body: { peopleScope: "workspace" } });
  await waitUntil(async () => {
    await stack.database.rpc("update_people", { maxPersons: 200, maxContacts: 2_000 });
    return (await administer(stack, "GET", path)).body.peopleScopeChange === null;
  }, { what: "the end of the change of scope" });
  await ladder.knowPerson(30);
  const templateId = await ladder.createTemplate("oferta", { category: "MARKETING" });
  await stack.admin.begin(async (busy) => {
    await busy`select from messaging.contacts where instance_id = ${tenant.instanceId} for update`;
    const { status } = await client.receive(other, {
      ...{ phone, messageId: "NO1", text: { message: "SAIR" } },
    });
    assertEquals(status, 200);
  });
  const [contact] = await stack.admin`
    select consent_marketing from messaging.contacts where instance_id = ${tenant.instanceId}`;
  assertEquals(contact?.["consent_marketing"], "unknown", "not told yet");
  const refused = await ladder.send([{ template: { templateId, variables: { 1: "x" } } }]);
  assertEquals([refused.status, refused.body.details?.rungs], [
    409,
    [{ rung: "template", reason: "contact_opted_out" }],
  ]);
  assertEquals(ladder.calls(), []);
});
