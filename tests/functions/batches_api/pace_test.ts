/** What a batch tells of its interval where its instance has a pace. */

import { assert, assertEquals } from "../../support/assert.ts";
import { insertTemplate } from "../../support/fixtures/approved_template.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  greeting,
  listRecipients,
  readBatch,
} from "../../support/fixtures/batch_calls.ts";
import { createPacedTenant, setPace } from "../../support/fixtures/paced_tenant.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

Deno.test("a batch tells the interval at which it leaves: its own, the instance's pace, or the default", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPacedTenant(stack.admin, 80);
  const following = await createBatch(stack, tenant, {});
  const own = await createBatch(stack, tenant, { intervalSeconds: 45 });
  const read = async (batchId: string): Promise<unknown> =>
    (await readBatch(stack, tenant, batchId)).intervalSeconds;
  assertEquals([await read(following), await read(own)], [0.0125, 45]);
  await setPace(stack.admin, tenant.instanceId, { messagesPerSecond: 3 });
  assertEquals([await read(following), await read(own)], [0.333334, 45]);
  await setPace(stack.admin, tenant.instanceId, null);
  assertEquals([await read(following), await read(own)], [30, 45]);
});

Deno.test("a dry run under a pace forecasts slots that lie apart as the batch tells", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPacedTenant(stack.admin, 20);
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(5) });
  const { intervalSeconds } = await readBatch(stack, tenant, batchId);
  assertEquals(intervalSeconds, 0.05);
  const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
    ...{ message: greeting, recipients: listRecipients(5), dryRun: true },
  });
  assertEquals(status, 200, JSON.stringify(body));
  const slots = body.items.map(({ scheduledFor }: { scheduledFor: string }) =>
    Date.parse(scheduledFor)
  );
  for (let place = 1; place < slots.length; place++) {
    assertEquals(slots[place] - slots[place - 1], intervalSeconds * 1_000);
  }
  const { firstScheduledFor, lastScheduledFor } = body.summary;
  assertEquals([Date.parse(firstScheduledFor), Date.parse(lastScheduledFor)], [
    ...[slots[0], slots.at(-1)],
  ]);
  for (const instant of [firstScheduledFor, body.items[0].scheduledFor]) {
    assert(instant.endsWith("Z"), instant);
  }
});

Deno.test("a batch under a pace is given half of what leaves in a second, and the other half when the first has left", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createPacedTenant(stack.admin, 5);
  const room = async (): Promise<unknown> => {
    const [row] = await stack.admin`
      select messaging.batch_room(${tenant.instanceId}::uuid) as room`;
    return row?.["room"];
  };
  const template = { templateId: await insertTemplate(stack.admin, tenant.workspaceId, "aviso") };
  const recipients = listRecipients(20).map(({ phone }) => ({
    phone,
    variables: { 1: "fechado" },
  }));
  const source = { message: undefined, template, recipients };
  const batchId = await createBatch(stack, tenant, source);
  const started = await changeBatch(stack, tenant, batchId, "start");
  assertEquals([started.counts.queued, started.counts.pending, await room()], [3, 17, 0]);
  await stack.admin`
    delete from messaging.message_queue where message_id in (
      select message_id from messaging.message_queue order by scheduled_at limit 1
    )`;
  assertEquals(await room(), 3);
  // One message of a batch with an interval of its own waits alone.
  const own = await createBatch(stack, tenant, { ...source, intervalSeconds: 30 });
  await changeBatch(stack, tenant, own, "start");
  assertEquals(await room(), 0);
});
