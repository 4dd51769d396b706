import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { OutboxLane } from "../../../functions/dispatch-queue/outbox_lane.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import type { OutboxClaimRequest } from "../../../shared/database/rpcs/outbox.ts";
import type { OutboxKind } from "../../../shared/model/outbox_kinds.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

/** More than twice what runs side by side. */
const count = 45;

Deno.test("a lane that is full goes on with the next row as soon as one is done, without a poll of the queue", async () => {
  await using stack = await startMessagingStack();
  await promiseReplies(stack, await stack.createTenant(), { rows: count });
  let polls = 0;
  const rpc = async (name: RpcName, request: never): Promise<unknown> => {
    if (name !== "claim_due_messages") return await stack.database.rpc(name, request);
    polls += 1;
    return { messages: [], nextDueInMs: null, isOutboxDue: polls === 1, webhooks: "none" };
  };
  const database: Database = { rpc: rpc as Database["rpc"], close: () => Promise.resolve() };
  const delivered = new Set<string>();
  const run = runDispatch({
    ...stack.services,
    database,
    deliverAgentReply: ({ outboxId }) => {
      delivered.add(outboxId);
      return Promise.resolve({ outcome: "done" });
    },
  }, { durationMs: 120_000, maxMessages: 1_000 });
  try {
    await waitUntil(() => delivered.size === count, { what: "all rows" });
  } finally {
    dispatchEvent(new Event(shutdownEvent));
  }
  assertEquals((await run).outboxRows, count);
});

Deno.test("replies of an instance that hang leave a lane to another instance's", async () => {
  await using stack = await startMessagingStack();
  const [hanging, other] = [await stack.createTenant(), await stack.createTenant()];
  await promiseReplies(stack, hanging, { rows: count });
  await promiseReplies(stack, other, { rows: 1 });
  const held = Promise.withResolvers<void>();
  const delivered: unknown[] = [];
  const run = runDispatch({
    ...stack.services,
    deliverAgentReply: async ({ payload }) => {
      if (payload["instanceId"] === hanging.instanceId) await held.promise;
      delivered.push(payload["instanceId"]);
      return { outcome: "done" };
    },
  }, { durationMs: 120_000, maxMessages: 1_000 });
  try {
    await waitUntil(() => delivered.length > 0, { what: "the other one's reply" });
  } finally {
    dispatchEvent(new Event(shutdownEvent));
    held.resolve();
  }
  await run;
  assertEquals(delivered[0], other.instanceId);
});

Deno.test("an e-mail that hangs delays no other, of the same instance or of another", async () => {
  await using stack = await startMessagingStack();
  const [one, other] = [await stack.createTenant(), await stack.createTenant()];
  const promiseEmail = async ({ instanceId, workspaceId }: Tenant): Promise<string> => {
    const [row] = await stack.admin<{ id: string }[]>`
      insert into messaging.outbox (workspace_id, kind, payload)
      values (${workspaceId}, 'assignment_email', ${stack.admin.json({ instanceId })})
      returning id`;
    return row!.id;
  };
  const [hanging, ...others] = [
    ...[await promiseEmail(one), await promiseEmail(one)],
    await promiseEmail(other),
  ];
  const held = Promise.withResolvers<void>();
  const delivered: string[] = [];
  let isUnderWay = 0;
  let most = 0;
  const run = runDispatch({
    ...stack.services,
    deliverAgentReply: () => Promise.reject(new Error("no reply is expected")),
    deliverEmail: async ({ outboxId }) => {
      if (outboxId === hanging) await held.promise;
      most = Math.max(most, ++isUnderWay);
      await new Promise((resolve) => setTimeout(resolve));
      isUnderWay -= 1;
      delivered.push(outboxId);
      return { outcome: "done" };
    },
  }, { durationMs: 120_000, maxMessages: 1_000 });
  try {
    await waitUntil(() => delivered.length === 2, { what: "the other e-mails" });
  } finally {
    dispatchEvent(new Event(shutdownEvent));
    held.resolve();
  }
  await run;
  assertEquals(delivered.toSorted(), [...others, hanging].toSorted());
  assertEquals([delivered[2], most], [hanging, 1], "those that answer go one after the other");
});

Deno.test("a lane claims nothing of an instance that has as much hanging as it may", async () => {
  const instanceId = crypto.randomUUID();
  const claims: OutboxClaimRequest[] = [];
  const rpc = (_name: RpcName, request: OutboxClaimRequest): Promise<unknown> => {
    claims.push(request);
    const rows = Array.from({ length: request.maxRows }, () => ({ payload: { instanceId } }));
    return Promise.resolve({ rows: request.crowdingInstances === undefined ? rows : [] });
  };
  const database: Database = { rpc: rpc as Database["rpc"], close: () => Promise.resolve() };
  const held = Promise.withResolvers<void>();
  const lane = new OutboxLane({ database, log: { info: () => {}, error: () => {} } }, {
    ...{ kinds: ["read_receipt"], quick: 2, all: 8, slowOfInstance: 2 },
    work: () => held.promise,
  });
  await lane.fill();
  // What lasts for a second gives its place away.
  await waitUntil(async () => {
    await lane.fill();
    return claims.length === 2;
  }, { what: "room for another instance" });
  held.resolve();
  await lane.finish();
  assertEquals(
    claims.map(({ maxRows, crowdingInstances }) => [maxRows, crowdingInstances]),
    [[2, undefined], [2, [instanceId]]],
  );
});

Deno.test("instances take turns at what is due, each with its oldest first", async () => {
  await using stack = await startMessagingStack();
  const tenants = [await stack.createTenant(), await stack.createTenant()];
  const [many, few] = tenants.map(({ instanceId }) => instanceId);
  await promiseReplies(stack, tenants[0]!, { rows: count });
  await promiseReplies(stack, tenants[1]!, { rows: 2, dueSinceMinutes: 1 });
  const claim = async (maxRows: number, crowdingInstances?: string[]): Promise<unknown[]> => {
    const { rows } = await stack.database.rpc("claim_outbox", {
      ...{ kinds: ["agent_reply"] satisfies OutboxKind[], maxRows, leaseSeconds: 60 },
      crowdingInstances,
    });
    const order = rows.map(({ payload }) => `${payload["place"]} ${payload["instanceId"]}`);
    return order.sort();
  };
  assertEquals(await claim(2), [`1 ${few}`, `1 ${many}`].sort());
  assertEquals(await claim(3), [`2 ${few}`, `2 ${many}`, `3 ${many}`].sort());
  assertEquals(await claim(3, [many!]), []);
  assertEquals(await claim(1, [few!]), [`4 ${many}`]);
});

/** Promises replies for an instance, the first one long ago. */
async function promiseReplies(
  { admin }: MessagingStack,
  { workspaceId, instanceId }: Tenant,
  { rows, dueSinceMinutes = 60 }: { readonly rows: number; readonly dueSinceMinutes?: number },
): Promise<void> {
  await admin`
    insert into messaging.outbox (workspace_id, kind, payload, run_at)
    select ${workspaceId}, 'agent_reply', jsonb_build_object('instanceId', ${instanceId}::uuid, 'place', n),
      now() - make_interval(mins => ${dueSinceMinutes}) + n * interval '1 ms'
    from generate_series(1, ${rows}::integer) as n`;
}
