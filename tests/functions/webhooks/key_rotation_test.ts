import { createCredentialVault } from "../../../shared/crypto/credential_vault.ts";
import { createEventDelivery } from "../../../shared/events/deliver_event.ts";
import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { testCredentialsKey } from "../../support/fixtures/tenant.ts";
import { startWebhookClient, verify, type WebhookClient } from "./webhook_client.ts";
import { reseal } from "../../support/stack/reseal.ts";

const newKey = btoa("n".repeat(32));

Deno.test("after a key rotation both secrets of an endpoint are sealed anew, and still sign", async () => {
  await using client = await startWebhookClient();
  const { endpointId, secret } = await client.createEndpoint();
  const rotated = await client.call("POST", `/endpoints/${endpointId}/rotate-secret`, {});
  assertEquals(rotated.status, 200);
  const before = await readSeals(client);
  assertEquals(before.length, 2);

  const report = await reseal(client.stack, `${newKey},${testCredentialsKey}`);
  assertEquals([report.remaining, report.unreadable], [0, []]);
  assert((await readSeals(client)).every((seal) => !before.includes(seal)));
  assertEquals((await reseal(client.stack, newKey)).resealed, 0);

  await client.record(1);
  const vault = createCredentialVault(newKey);
  await runDispatch({
    ...client.stack.services,
    deliverAgentReply: () => Promise.reject(new Error("no reply is expected")),
    deliverEvent: createEventDelivery({ vault, allowsPrivateHosts: true }),
  }, { durationMs: 500, maxMessages: 10 });
  const [call] = client.receiver.calls;
  assert(call !== undefined);
  verify(secret, call);
  verify(rotated.body.secret, call);
});

Deno.test("an endpoint whose secret no key opens is named, and its secret stays as it is", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  const before = await readSeals(client);
  const { remaining, unreadable } = await reseal(client.stack, newKey);
  assertEquals([remaining, unreadable.includes(endpointId)], [0, true]);
  assertEquals(await readSeals(client), before);
});

async function readSeals({ stack }: WebhookClient): Promise<string[]> {
  const [row] = await stack.admin`
    select sealed_secret, sealed_previous_secret from messaging.event_endpoints`;
  return Object.values(row ?? {}).filter((seal) => seal !== null);
}
