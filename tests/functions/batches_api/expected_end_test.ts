/** When a batch of very many will end is reckoned by the calendar, and is when its last message is forecast. */

import { assert, assertEquals } from "../../support/assert.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  greeting,
  listRecipients,
  type Members,
  readBatch,
} from "../../support/fixtures/batch_calls.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import type { TenantOptions } from "../../support/fixtures/tenant.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const intervalSeconds = 1_800;

const calendars: readonly {
  readonly name: string;
  /** When the batch starts; 09:00:00 where it is not given. */
  readonly startTime?: string;
  readonly options?: TenantOptions;
  readonly protection?: Members;
  readonly neighbours?: number;
  /** How far the two may be apart. */
  readonly slackSeconds?: number;
}[] = [
  { name: "always open" },
  { name: "over midnight", startTime: "21:10:07" },
  {
    name: "two hours a day",
    options: { window: { start: "09:00", end: "11:00", days: everyDay } },
  },
  { name: "on Mondays", options: { window: { start: "10:00", end: "12:00", days: [1] } } },
  { name: "five a day", protection: { dailyLimit: 5 } },
  // Of two that take turns the one that is first ends first.
  { name: "beside another batch", neighbours: 1, slackSeconds: intervalSeconds },
  // Nine jitters of five minutes on average, give or take five standard deviations.
  { name: "with jitter", protection: { jitterSeconds: 600 }, slackSeconds: 2_650 },
];

Deno.test("the end that is reckoned is the last slot that is forecast, whatever the calendar", async () => {
  await using stack = await startMessagingStack();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  for (const calendar of calendars) {
    const { name, options, protection, neighbours = 0, slackSeconds = 0 } = calendar;
    const startAt = `${tomorrow}T${calendar.startTime ?? "09:00:00"}.000Z`;
    const tenant = await stack.createTenant({ ...options, timeZone: "UTC" });
    if (protection !== undefined) await protect(stack.admin, tenant.instanceId, protection);
    const start = async (first: number): Promise<string> => {
      const batchId = await createBatch(stack, tenant, {
        ...{ message: greeting, recipients: listRecipients(10, first), intervalSeconds, startAt },
      });
      await changeBatch(stack, tenant, batchId, "start");
      return batchId;
    };
    const batchId = await start(0);
    for (let place = 1; place <= neighbours; place++) await start(place * 10);
    const { counts, lastScheduledFor } = await readBatch(stack, tenant, batchId);
    assertEquals(counts.pending, 10, name);
    const [row] = await stack.admin<{ endsAt: Date }[]>`
      select messaging.expected_end(i, b, now()) as "endsAt"
      from messaging.batches b join messaging.instances i on i.id = b.instance_id
      where b.id = ${batchId}`;
    const difference = (row?.endsAt.getTime() ?? 0) - Date.parse(lastScheduledFor);
    assert(Math.abs(difference) <= slackSeconds * 1_000, `${name}: ${difference / 1_000} s`);
  }
});

Deno.test("a batch of more than a thousand tells its first slot and when it will end", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(1_000) });
  const { status } = await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: listRecipients(50, 1_000),
  });
  assertEquals(status, 201);
  const { firstScheduledFor, lastScheduledFor } = await changeBatch(
    ...[stack, tenant, batchId, "start"] as const,
  );
  const lastsMs = Date.parse(lastScheduledFor) - Date.parse(firstScheduledFor);
  assert(Math.abs(lastsMs - 1_049 * 30_000) < 1_000, `${lastsMs} ms`);
});
