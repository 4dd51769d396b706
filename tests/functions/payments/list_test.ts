/** Which payments a list shows: by its filters. */
import { assertEquals } from "../../support/assert.ts";
import { createWebhookClient } from "../provider_webhook/webhook_client.ts";
import { post, requestPayment } from "./payment_client.ts";

type Json = Readonly<Record<string, unknown>>;

Deno.test("payments are listed by contact, status, reference and by when they were asked for", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const contacts = new Map<string, string>();
  for (
    const [reference, phone] of [["a", "5511900000001"], ["b", "5511900000002"], [
      "c",
      "5511900000001",
    ]]
  ) {
    const { status, body } = await requestPayment(client, tenant, { reference }, { phone });
    assertEquals(status, 200);
    contacts.set(reference ?? "", body.contactId);
  }
  await requestPayment(client, await client.createTenant(), { reference: "other" });
  await post(client, tenant, "/payments/c", { status: "paid" });
  const instants = {
    a: "2026-11-20T12:00:00.000Z",
    b: "2026-11-21T12:00:00.000Z",
    c: "2026-11-22T12:00:00.000Z",
  };
  for (const [reference, at] of Object.entries(instants)) {
    await client.stack.admin`
      update messaging.payments set created_at = ${at}
      where reference = ${reference} and instance_id = ${tenant.instanceId}`;
  }
  const list = async (query: Readonly<Record<string, string>>): Promise<unknown> => {
    const path = `/payments?${new URLSearchParams(query)}`;
    const { status, body } = await client.stack.messages(tenant, "GET", path);
    return status === 200
      ? body.items.map(({ reference }: Json) => reference)
      : [status, body.issues[0].path];
  };
  assertEquals(await list({}), ["a", "b", "c"]);
  assertEquals(await list({ contactId: contacts.get("a") ?? "" }), ["a", "c"]);
  assertEquals(await list({ contactId: contacts.get("b") ?? "" }), ["b"]);
  assertEquals(await list({ contactId: crypto.randomUUID() }), []);
  assertEquals(await list({ status: "paid" }), ["c"]);
  assertEquals(await list({ reference: "b" }), ["b"]);
  // Both ends count.
  assertEquals(await list({ since: instants.b }), ["b", "c"]);
  assertEquals(await list({ until: instants.b }), ["a", "b"]);
  assertEquals(await list({ since: instants.b, until: instants.b }), ["b"]);
  assertEquals(await list({ since: "2026-11-21T12:00:00.001Z" }), ["c"]);
  assertEquals(await list({ until: "2026-11-21T08:59:59.999-03:00" }), ["a"]);
  assertEquals(await list({ contactId: contacts.get("a") ?? "", since: instants.b }), ["c"]);
  assertEquals(await list({ since: instants.c, until: instants.a }), [400, "until"]);
  assertEquals(await list({ since: "yesterday" }), [400, "since"]);
  assertEquals(await list({ contactId: "Ana" }), [400, "contactId"]);
});
