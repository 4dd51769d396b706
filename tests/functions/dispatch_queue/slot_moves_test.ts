import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assertEquals } from "../../support/assert.ts";
import { fillQueue } from "../../support/fixtures/long_queue.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

Deno.test("the dispatcher moves the slots that a changed window has left to it, until none lies outside", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant({ timeZone: "UTC" });
  await fillQueue(stack.admin, instanceId, { messages: 7_000, interval: 10 });
  const today = new Date().getUTCDay() || 7;
  // Not tomorrow, which may begin meanwhile.
  const otherDay = (today + 1) % 7 + 1;
  await stack.database.rpc("update_instance", {
    instanceId,
    changes: { sendWindow: { days: [otherDay] } },
  });
  const countOutside = async (): Promise<number> => {
    const [row] = await stack.admin<{ count: number }[]>`
      select count(*)::integer from messaging.message_queue
      where extract(isodow from scheduled_at at time zone 'UTC') <> ${otherDay}`;
    return row?.count ?? 0;
  };
  assertEquals(await countOutside() > 0, true);
  const run = stack.dispatchOnce({ durationMs: 180_000, maxMessages: 1 });
  await waitUntil(async () => await countOutside() === 0, {
    ...{ timeoutMs: 170_000, what: "slots on the one day alone" },
  });
  dispatchEvent(new Event(shutdownEvent));
  assertEquals((await run).accepted, 0);
});
