import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assertEquals } from "../../support/assert.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

/** More than twice what runs side by side. */
const count = 45;

Deno.test("a lane that is full goes on with the next row as soon as one is done, without a poll of the queue", async () => {
  await using stack = await startMessagingStack();
  const { workspaceId } = await stack.createTenant();
  await stack.admin`
    insert into messaging.outbox (workspace_id, kind, payload, run_at)
    select ${workspaceId}, 'agent_reply', '{}', now() from generate_series(1, ${count})`;
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
