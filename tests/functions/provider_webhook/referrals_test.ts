/** Ads and posts that bring people: told on the message, the contact and the conversation. */

import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createWebhookClient, type WebhookClient } from "./webhook_client.ts";
import { cloudPayload, cloudText, type Delivered, evolutionMessage } from "./webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

/** A text of somebody who came by an ad with this headline, as each channel tells it. */
async function arriveByAd(
  client: WebhookClient,
  provider: ProviderKind,
  tenant: Tenant,
  id: string,
  headline: string,
): Promise<Delivered> {
  if (provider === "zapi") {
    const externalAdReply = { title: headline, sourceType: "ad", sourceId: "7", ctwaClid: "click" };
    return await client.receive(tenant, {
      messageId: id,
      text: { message: "oi" },
      externalAdReply,
    });
  }
  if (provider === "evolution") {
    const externalAdReply = { title: headline, sourceType: "ad", sourceId: "7", ctwaClid: "click" };
    const beside = { contextInfo: { externalAdReply } };
    return await client.evolution(tenant, evolutionMessage({ conversation: "oi" }, { id }, beside));
  }
  const referral = { headline, source_type: "ad", source_id: "7", ctwa_clid: "click" };
  return await client.cloud(
    tenant,
    cloudPayload({ messages: [cloudText(id, "oi", { referral })] }),
  );
}

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
    await arriveByAd(client, provider, tenant, "M1", "Primeira");
    await arriveByAd(client, provider, tenant, "M2", "Segunda");
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
