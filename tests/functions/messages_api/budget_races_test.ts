/** Callers and dispatchers that come to a budget at once: what is left of it is given out once. */

import { assertEquals } from "../../support/assert.ts";
import { passMonthEnd } from "../../support/clock_edges.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { phoneOf } from "../../support/fixtures/batch_calls.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

const callers = 40;
/** Of texts in the conversation's window, which cost 0.1, the third one reaches it. */
const [monthlyAmount, places] = ["0.25", 3];

Deno.test(`of ${callers} immediate marketing messages at once as many leave as a budget has places`, async () => {
  await using stack = await startMessagingStack();
  const tenant = await createShop(stack);
  const answers = await Promise.all(
    Array.from(
      { length: callers },
      (_, place) => stack.send(tenant, { ...marketing, phone: phoneOf(place) }),
    ),
  );
  const modes = answers.map(({ body }) => `${body.mode} ${body.heldBy ?? ""}`.trim());
  assertEquals(Map.groupBy(modes, (mode) => mode).get("sent")?.length, places);
  assertEquals(modes.filter((mode) => mode === "scheduled budget").length, callers - places);
  assertEquals(stack.provider.requests.length, places);
});

Deno.test(`of ${callers} marketing messages that are due at once, as many leave as a budget has places, by however many dispatchers`, async () => {
  await using stack = await startMessagingStack();
  const tenant = await createShop(stack);
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  await Promise.all(
    Array.from(
      { length: callers },
      (_, place) => stack.send(tenant, { ...marketing, phone: phoneOf(place), sendAt }),
    ),
  );
  await letTimePass(stack.admin, 3_601);
  await Promise.all(
    Array.from({ length: 4 }, () => stack.dispatchOnce({ durationMs: 100, maxMessages: 5 })),
  );
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, places);
  const { body } = await stack.messages(tenant, "GET", "/queue?limit=100");
  assertEquals(body.items.length, callers - places);
  for (const { heldBy } of body.items) assertEquals(heldBy, "budget");
});

const marketing = { messageType: "text", message: "Oi", purpose: "marketing" };

async function createShop(stack: MessagingStack): Promise<Tenant> {
  await passMonthEnd();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const { workspaceId, instanceId } = tenant;
  await callFunction(stack.admin, "replace_rates", {
    ...{ workspaceId, currency: "USD", dryRun: false },
    markets: [{ name: "Brazil", callingCodes: ["55"] }],
    rates: [{ market: "Brazil", category: "service", amount: "0.1", effectiveFrom: "2026-01-01" }],
  });
  const budget = { monthlyAmount, warnAtPercent: 80, stops: ["marketing"] };
  await callFunction(stack.admin, "update_instance", { instanceId, changes: { budget } });
  await stack.admin`
    update messaging.instances set free_service_messages_per_month = 0
    where id = ${instanceId}`;
  // Without a window of the conversation no text leaves.
  await stack.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
    select ${instanceId}, p, p, 'api', now()
    from unnest(${Array.from({ length: callers }, (_, place) => phoneOf(place))}::text[]) as p`;
  return tenant;
}
