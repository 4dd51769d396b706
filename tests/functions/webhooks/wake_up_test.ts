import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { readFeed } from "../../../functions/events-api/feed.ts";
import type { Database } from "../../../shared/database/database.ts";
import { lookUntil } from "../../../shared/http/look_until.ts";
import { announceEvents } from "../../../shared/runtime/event_announcement.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { assertEquals, assertLessOrEqual } from "../../support/assert.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startWebhookClient } from "./webhook_client.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };
const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
const oneMinute = { durationMs: 60_000, maxMessages: 1_000 };

Deno.test("what a call records is sent at once by the dispatcher of its process, without a poll", async () => {
  await using client = await startWebhookClient();
  await client.createEndpoint({ types: ["message.sent"] });
  const blind = watchRpcs(
    client.stack.database,
    (name, result) => name === "claim_due_messages" ? { ...result, webhooks: "idle" } : result,
  );
  let polls = 0;
  const run = runDispatch({
    ...client.stack.services,
    deliverAgentReply,
    database: watchRpcs(blind, (name, result) => {
      if (name === "claim_due_messages") polls += 1;
      return result;
    }),
  }, oneMinute);
  await waitUntil(() => polls > 0, { what: "the run's first poll" });
  assertEquals((await client.stack.send(client.tenant, text)).status, 200);
  await waitUntil(() => client.receiver.calls.length === 1, { what: "the event" });
  dispatchEvent(new Event(shutdownEvent));
  assertEquals((await run).deliveries, 1);
});

Deno.test("a dispatcher looks rarely where none of a busy process' events concern an endpoint", async () => {
  await using client = await startWebhookClient();
  await client.createEndpoint();
  let looks = 0;
  const database = watchRpcs(client.stack.database, (name, result) => {
    if (name === "claim_event_deliveries") looks += 1;
    return result;
  });
  const startedAt = performance.now();
  const run = runDispatch({ ...client.stack.services, deliverAgentReply, database }, {
    ...oneMinute,
    durationMs: 2_000,
  });
  const burst = setInterval(announceEvents, 1);
  await run;
  clearInterval(burst);
  // After 0, 40, 80 and 160 ms, then every 200 ms.
  assertLessOrEqual(looks, 4 + (performance.now() - startedAt) / 200);
});

Deno.test("a waiting reader of the feed gets what a call records without waiting for a poll", async () => {
  await using client = await startWebhookClient();
  const { stack, tenant } = client;
  const begun = await client.call("GET", "/events");
  let looks = 0;
  const page = readFeed(
    watchRpcs(stack.database, (name, result) => {
      if (name === "read_events") looks += 1;
      return result;
    }),
    {
      query: {
        instanceId: tenant.instanceId,
        after: begun.body.nextCursor,
        types: ["message.sent"],
        limit: 10,
      },
      waitMs: 60_000,
      signal: new AbortController().signal,
    },
    { leastMs: 1, mostMs: 60_000 },
  );
  await waitUntil(() => looks === 1, { what: "the reader's first look" });
  await stack.send(tenant, text);
  await waitUntil(() => looks > 1, { timeoutMs: 30_000, what: "the reader's next look" });
  assertEquals((await page).items.map(({ type }) => type), ["message.sent"]);
});

Deno.test("a waiting reader looks rarely where none of a busy process' events concern it", async () => {
  let looks = 0;
  const database = {
    rpc: () => {
      looks += 1;
      return Promise.resolve({ state: "ok", items: [], nextCursor: "c", hasMore: false });
    },
    close: () => Promise.resolve(),
  } as unknown as Database;
  const startedAt = performance.now();
  const burst = setInterval(announceEvents, 1);
  await readFeed(database, {
    query: { instanceId: crypto.randomUUID(), after: "c", types: null, limit: 10 },
    waitMs: 2_000,
    signal: new AbortController().signal,
  });
  clearInterval(burst);
  // After 0, 10, 30, 70, 150 and 310 ms, then every 250 ms.
  assertLessOrEqual(looks, 6 + (performance.now() - startedAt) / 250);
});

Deno.test("a waiting reader hears an announcement at once, however long it has waited in silence", async () => {
  const bounds = { leastMs: 500, mostMs: 1_000 };
  const client = new AbortController();
  const third = Promise.withResolvers<string>();
  let looks = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = lookUntil({
    look: () => {
      looks += 1;
      if (looks === 3) third.resolve("the reader's look");
      // The second look follows a whole wait in silence.
      if (looks === 2) {
        setTimeout(announceEvents, 1);
        timer = setTimeout(() => third.resolve("the end of the longest wait"), bounds.mostMs);
      }
      return Promise.resolve(looks);
    },
    isFound: () => false,
  }, { waitMs: 60_000, signal: client.signal, bounds });
  assertEquals(await third.promise, "the reader's look");
  clearTimeout(timer);
  client.abort();
  await waiting;
});

/** Shows every result to `see`, which may change it. */
// deno-lint-ignore no-explicit-any -- stands for the results of every function
function watchRpcs(database: Database, see: (name: string, result: any) => any): Database {
  return {
    ...database,
    rpc: async (name, request) => see(name, await database.rpc(name, request)),
  };
}
