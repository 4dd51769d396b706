/** What records template.status_changed. */

import { assertEquals } from "../../support/assert.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { createEventWorld, type EventWorld } from "../../support/fixtures/event_world.ts";

interface Shelf extends EventWorld {
  readonly templateId: string;
  /** The types and statuses told to an instance, since the last look. */
  told(): Promise<readonly unknown[]>;
}

/** A pending template of the instance, or of its workspace alone. */
async function createShelf({ isShared = false } = {}): Promise<Shelf> {
  const world = await createEventWorld({ provider: "whatsapp_cloud" });
  const { workspaceId, instanceId } = world.tenant;
  const { templateId } = await world.call("create_message_template", {
    ...{ workspaceId, instanceId: isShared ? null : instanceId, name: "oferta", language: "pt_BR" },
    ...{ parameterFormat: "NAMED", components: [], providerStatus: "PENDING" },
    providerTemplateId: "77",
  });
  return {
    ...world,
    templateId,
    told: async () => (await world.news()).map(({ type, data }) => [type, data]),
  };
}

function changed({ templateId }: Shelf, status: string | null): unknown[] {
  const unknown = { category: null, quality: null, reason: null, disablesAt: null };
  const data = { templateId, name: "oferta", language: "pt_BR", status, ...unknown };
  return [["template.status_changed", data]];
}

Deno.test("the provider's decision by a webhook tells template.status_changed, once", async () => {
  await using shelf = await createShelf();
  const decide = async (status: string): Promise<unknown> => {
    await shelf.receive({ kind: "template_status", providerTemplateId: "77", status });
    return await shelf.told();
  };
  assertEquals(await shelf.told(), [], "a new template");
  assertEquals(await decide("APPROVED"), changed(shelf, "APPROVED"));
  assertEquals(await decide("APPROVED"), []);
  assertEquals(await decide("PAUSED"), changed(shelf, "PAUSED"));
});

Deno.test("a PATCH tells template.status_changed where the status becomes another one", async () => {
  await using shelf = await createShelf();
  const change = async (changes: object): Promise<unknown> => {
    await shelf.call("update_message_template", { templateId: shelf.templateId, changes });
    return await shelf.told();
  };
  assertEquals(await change({ providerStatus: "PENDING" }), []);
  assertEquals(await change({ providerTemplateId: "78" }), []);
  assertEquals(await change({ providerStatus: "APPROVED" }), changed(shelf, "APPROVED"));
  assertEquals(await change({ providerStatus: null }), changed(shelf, null));
});

Deno.test("a sync tells template.status_changed of what was stored and has another status now", async () => {
  await using shelf = await createShelf();
  const sync = async (...statuses: readonly string[]): Promise<unknown> => {
    const [clock] = await shelf.database.sql`select clock_timestamp()::text as at`;
    const templates = statuses.map((providerStatus, index) => ({
      ...{ providerTemplateId: String(77 + index), name: index === 0 ? "oferta" : `n${index}` },
      ...{ language: "pt_BR", parameterFormat: "NAMED", components: [], providerStatus },
    }));
    await shelf.call("sync_message_templates", { askedAt: clock?.["at"], templates });
    return await shelf.told();
  };
  assertEquals(await sync("PENDING", "APPROVED"), [], "nothing but a new template");
  assertEquals(await sync("APPROVED", "APPROVED"), changed(shelf, "APPROVED"));
  assertEquals(await sync("APPROVED", "APPROVED"), []);
  await sync();
  const [, ...deleted] = await shelf.database.admin`
    select data->>'name' as name, data->>'status' as status from messaging.events order by sequence`;
  assertEquals(deleted.map(({ name, status }) => [name, status]), [
    ["n1", "DELETED"],
    ["oferta", "DELETED"],
  ]);
});

Deno.test("a template of the workspace alone tells every instance of the workspace", async () => {
  await using shelf = await createShelf({ isShared: true });
  const { workspaceId } = shelf.tenant;
  const neighbour = await createTenant(shelf.database.admin, {
    ...{ workspaceId, provider: "whatsapp_cloud", providerConfig: { phoneNumberId: "2" } },
  });
  await createTenant(shelf.database.admin);
  await shelf.receive({ kind: "template_status", providerTemplateId: "77", status: "APPROVED" });
  const events = await shelf.database.admin`select instance_id from messaging.events`;
  assertEquals(
    events.map((event) => event["instance_id"]).toSorted(),
    [shelf.tenant.instanceId, neighbour.instanceId].toSorted(),
  );
  assertEquals(await shelf.told(), changed(shelf, "APPROVED"));
});
