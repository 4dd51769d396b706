/** How the dispatcher goes through many received files: few calls, one after the other, no spinning. */

import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { betweenFilesMs, FileFetcher } from "../../../functions/dispatch-queue/file_fetcher.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { ClaimedFetch } from "../../../shared/database/rpcs/media.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import { shutdownEvent } from "../../../shared/runtime/shutdown.ts";
import { createMediaWork } from "../../../shared/outbox/media_work.ts";
import { fetchTimeouts } from "../../../shared/media/fetch_file.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";
import { assert, assertEquals, assertLessOrEqual } from "../../support/assert.ts";
import { createMemoryStorage } from "../../support/doubles/memory_storage.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import type { MessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { createFileClient, type FileClient } from "./received_file_client.ts";

const picture = padded(heads.jpeg, 20_000);
const count = 9;

Deno.test("a worker settles a file and takes the next one in one call", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  await receiveAll(files);
  const { stack } = files.client;
  stack.provider.answer = () => new Response(picture);
  const calls = await dispatchCounting(stack, storage, () => areSettled(stack));
  assertEquals(storage.files.size, count);
  assertEquals(calls.get("settle_media_fetch"), count);
  assertEquals(calls.get("begin_media_fetch"), undefined);
  // One for each poll of the queue that found files due, and one for each free worker at most.
  assertLessOrEqual(calls.get("claim_media_fetches") ?? 0, calls.get("claim_due_messages") ?? 0);
});

Deno.test("files that wait for a slow provider do not make the dispatcher poll the queue more often", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  await receiveAll(files);
  const { stack } = files.client;
  const held = Promise.withResolvers<void>();
  stack.provider.answer = async () => {
    await held.promise;
    return new Response(picture);
  };
  const startedAt = performance.now();
  const calls = await dispatchCounting(
    stack,
    storage,
    () => performance.now() - startedAt > 2_000,
    held.resolve,
  );
  const elapsedMs = performance.now() - startedAt;
  // One in 200 ms, the first, and those that a change of the queue asks for: spinning made 50 a second.
  assertLessOrEqual(calls.get("claim_due_messages") ?? 0, 5 + elapsedMs / 200);
});

Deno.test("files of an instance whose provider hangs leave places for another one's", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  await receiveAll(files);
  const other = await files.client.createTenant();
  await files.receiveZapi(other, "/other");
  const { stack } = files.client;
  const held = Promise.withResolvers<void>();
  stack.provider.answer = async ({ path }) => {
    if (!path.endsWith("/other")) await held.promise;
    return new Response(picture);
  };
  await dispatchCounting(stack, storage, () => storage.files.size === 1, held.resolve);
});

Deno.test("no file is claimed of an instance that has as many hanging as it may", async () => {
  const file = { instanceId: crypto.randomUUID() };
  const held = Promise.withResolvers<null>();
  const crowdingAtClaim: unknown[] = [];
  const fetcher = new FileFetcher({
    media: {
      claimFiles: (most, crowding) => {
        crowdingAtClaim.push(crowding);
        return Promise.resolve(
          crowding === undefined
            ? Array.from({ length: most }, () => ({ file }) as ClaimedFetch)
            : [],
        );
      },
      fetchFile: () => held.promise,
      deleteFiles: () => Promise.resolve({ outcome: "done" }),
    },
    log: { info: () => {}, error: () => {} },
  }, 1_000);
  await fetcher.start();
  await waitUntil(async () => {
    await fetcher.start();
    return crowdingAtClaim.length === 2;
  }, { what: "room for another instance" });
  held.resolve(null);
  await fetcher.finish();
  assertEquals(crowdingAtClaim, [undefined, [file.instanceId]]);
});

Deno.test("files begin one after the other, so that no burst of them delays the messages beside", async () => {
  const begunAt: number[] = [];
  const file = { instanceId: crypto.randomUUID() };
  const waiting = Array.from({ length: count }, () => ({ file }) as ClaimedFetch);
  const fetcher = new FileFetcher({
    media: {
      claimFiles: (most) => Promise.resolve(waiting.splice(0, most)),
      fetchFile: () => {
        begunAt.push(performance.now());
        return Promise.resolve(waiting.shift() ?? null);
      },
      deleteFiles: () => Promise.resolve({ outcome: "done" }),
    },
    log: { info: () => {}, error: () => {} },
  }, 1_000);
  await fetcher.start();
  await fetcher.finish();
  assertEquals([begunAt.length, fetcher.files], [count, count]);
  const [first = 0] = begunAt;
  const last = begunAt.at(-1) ?? 0;
  // A timer may fire a millisecond early.
  assert(last - first >= (count - 1) * (betweenFilesMs - 1), `${last - first} ms`);
});

async function receiveAll(files: FileClient): Promise<void> {
  const tenant = await files.client.createTenant();
  for (let place = 0; place < count; place++) await files.receiveZapi(tenant, `/${place}`);
}

async function areSettled({ admin }: MessagingStack): Promise<boolean> {
  return (await admin`select from messaging.media where status = 'pending'`).length === 0;
}

/** Runs the dispatcher until `isOver`, then announces its end. @returns how often it made each call. */
async function dispatchCounting(
  stack: MessagingStack,
  storage: ReturnType<typeof createMemoryStorage>,
  isOver: () => boolean | Promise<boolean>,
  onEnd: () => void = () => {},
): Promise<ReadonlyMap<RpcName, number>> {
  const calls = new Map<RpcName, number>();
  const rpc = (name: RpcName, request: never): Promise<unknown> => {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    return stack.database.rpc(name, request);
  };
  const database: Database = { rpc: rpc as Database["rpc"], close: () => Promise.resolve() };
  const media = createMediaWork({
    ...stack.services,
    database,
    storage,
    rules: { ...fetchTimeouts, allowsPrivateHosts: true, hosts: new HostResolution() },
  });
  const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
  const services = { ...stack.services, database, media, deliverAgentReply };
  const run = runDispatch(services, { durationMs: 120_000, maxMessages: 1_000 });
  try {
    await waitUntil(isOver, { what: "the files" });
    return new Map(calls);
  } finally {
    dispatchEvent(new Event(shutdownEvent));
    onEnd();
    await run;
  }
}
