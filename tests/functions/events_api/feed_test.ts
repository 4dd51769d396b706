import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";

function readFeed(stack: MessagingStack, tenant: Tenant, query: string): Promise<Answer> {
  return stack.request(`/events-api/events${query}`, {
    headers: { "X-Client-Token": tenant.token },
  });
}

Deno.test("the feed begins now, and goes on from its cursor", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await record(stack, tenant, "agent.paused", { number: 1 });
  const now = await readFeed(stack, tenant, "");
  assertEquals([now.status, now.body.items, now.body.hasMore], [200, [], false]);
  await record(stack, tenant, "agent.resumed", { number: 2 });
  const next = await readFeed(stack, tenant, `?after=${now.body.nextCursor}`);
  assertEquals(next.body.items.map((event: { data: unknown }) => event.data), [{ number: 2 }]);
  const oldest = await readFeed(stack, tenant, `?after=oldest`);
  assertEquals(oldest.body.items.length, 2);
});

async function record(
  stack: MessagingStack,
  tenant: Tenant,
  type: string,
  data: Record<string, number>,
): Promise<void> {
  await stack.admin`
    select messaging.record_event(
      ${tenant.instanceId}::uuid, null, ${type}, ${stack.admin.json(data)}
    )`;
}
