/** Ads and posts that bring people: told on the message, the contact and the conversation. */

import { providerKinds } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createWebhookClient, type WebhookClient } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

async function get(
  client: WebhookClient,
  { token, instanceId }: Tenant,
  path: string,
): Promise<Body> {
  const separator = path.includes("?") ? "&" : "?";
  const { body } = await client.stack.request(`${path}${separator}instanceId=${instanceId}`, {
    headers: { "x-client-token": token },
  });
  return body;
}

for (const provider of providerKinds) {
  Deno.test(`${provider}: the newest ad that brought a contact stands on it and on its conversation, and is a filter`, async () => {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider });
    await client.tell(provider, tenant, factsOf[provider].toAdMessage("M1", "Primeira"));
    await client.tell(provider, tenant, factsOf[provider].toAdMessage("M2", "Segunda"));
    const told = { sourceType: "ad", sourceId: "7", headline: "Segunda", clickId: "click" };
    for (const path of ["/contacts-api/contacts", "/conversations-api/conversations"]) {
      const referred = await get(client, tenant, `${path}?referral=true`);
      assertEquals(referred.items.map(({ referral }: Body) => referral), [told], path);
      assertEquals((await get(client, tenant, `${path}?referral=false`)).items, []);
      assertEquals((await get(client, tenant, path)).items.length, 1);
      assertEquals((await get(client, tenant, `${path}?referral=maybe`)).error, "invalid_request");
    }
  });
}

Deno.test("a contact that no ad brought has no referral", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.receive(tenant, { messageId: "M1", text: { message: "oi" } });
  const { items } = await get(client, tenant, "/contacts-api/contacts?referral=false");
  assertEquals(items.map(({ referral }: Body) => referral), [null]);
  assertEquals((await get(client, tenant, "/contacts-api/contacts?referral=true")).items, []);
});
