/** What a stack loses without ending, and how it ends while it works. */

import { join } from "node:path";
import postgres from "postgres";
import { type PostgresServer, startPostgres } from "../../supabase/local/postgres_server.ts";
import { assertEquals } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackAnswer,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import {
  assertEndedByItself,
  createInstance,
  readDemo,
  sendFromDemo,
} from "../support/stack/stack_life.ts";
import { waitUntil } from "../support/wait_until.ts";

for (const usesDataApi of [false, true]) {
  const transport = usesDataApi ? "over the Data API" : "directly";

  Deno.test(`a stack that reaches its database ${transport}`, async (t) => {
    await using folder = await makeTemporaryFolder();
    const serverFolder = join(folder.path, "postgres");
    await copyCluster(serverFolder);
    await using server = await startPostgres({ dataDir: serverFolder });
    await using stack = await startLocalStack({
      dataDir: join(folder.path, "data"),
      databaseUrl: server.databaseUrl,
      usesDataApi,
      // A provider that the test holds is given up when the test is over, however slow the machine is.
      environment: { PROVIDER_TIMEOUT_MS: "60000" },
    });
    await t.step(
      "lost database connections do not end it",
      () => loseConnections(stack, server),
    );
    await t.step(
      "a stop lets requests in progress finish and be recorded",
      () => stopDuringRequests(stack, server),
    );
  });
}

async function loseConnections(stack: LocalStack, server: PostgresServer): Promise<void> {
  for (let kill = 0; kill < 2; kill++) {
    const { instanceId, token } = readDemo(stack);
    const calls = Array.from(
      { length: 40 },
      () =>
        stack.call({ instanceId, token }, "send-message", {
          ...{ instanceId, phone: "5511988887777", messageType: "text", message: "Olá" },
        }),
    );
    await killOneBackend(server.pid);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assertEquals(statuses.filter((status) => ![200, 503].includes(status)), []);
    await waitUntil(async () => (await sendFromDemo(stack)).messageId !== undefined, {
      what: "a message sent afterwards",
    });
  }
}

async function stopDuringRequests(stack: LocalStack, server: PostgresServer): Promise<void> {
  const held = Promise.withResolvers<void>();
  await using provider = startHttpDouble(async (request) => {
    await held.promise;
    return acceptMessage(request);
  });
  const instance = await createInstance(stack, provider.baseUrl);
  const message = {
    instanceId: instance.instanceId,
    phone: "5511966660001",
    messageType: "text",
  };
  // A stack that has just lost its database refuses what it would not record.
  const send = (body: Readonly<Record<string, unknown>>, key: string): Promise<StackAnswer> =>
    waitUntil(async () => {
      const answer = await stack.call(instance, "send-message", body, { "idempotency-key": key });
      return answer.status !== 503 && answer;
    }, { what: `an answer to ${key}` });
  const answering = send({ ...message, message: "agora" }, "immediate");
  const queued = await send({ ...message, message: "na fila", queued: true }, "queued");
  assertEquals(queued.status, 200, JSON.stringify(queued.body));
  await waitUntil(() => provider.requests.length === 2, { what: "both provider calls" });

  stack.signal("SIGTERM");
  await waitUntil(() => stack.output().includes("Stopping."), { what: "the stop" });
  const late = await stack.call(instance, "sanitize-phone-number", { phone: "1" });
  assertEquals(late.status, 503);
  held.resolve();
  const { status, body } = await answering;
  assertEquals([status, body.status], [200, "sent"]);
  assertEquals(await stack.ended(), 0);
  assertEquals(await readStatuses(server, instance), ["sent", "sent"]);
}

/** The status of each message of an instance. */
async function readStatuses(
  { databaseUrl }: PostgresServer,
  { instanceId }: StackInstance,
): Promise<string[]> {
  await using cleanup = new AsyncDisposableStack();
  const sql = postgres(databaseUrl, { max: 1 });
  cleanup.defer(() => sql.end());
  const rows = await sql`select status from messaging.messages where instance_id = ${instanceId}`;
  return rows.map(({ status }) => status);
}

Deno.test("a stack with few file descriptors", async (t) => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    ...{ dataDir: folder.path, databaseUrl: database.url, maxOpenFiles: 300 },
    environment: { PROVIDER_TIMEOUT_MS: "60000" },
  });
  await t.step(
    "with more callers than file descriptors it loses only those calls, and answers the next",
    () => exhaustFiles(stack),
  );
  await t.step(
    "a second Ctrl-C does not wait for a provider that does not answer",
    () => stopTwice(stack),
  );
});

async function exhaustFiles(stack: LocalStack): Promise<void> {
  // Some connections are closed at once: those without a request make room.
  const callers = await Promise.allSettled(
    Array.from({ length: 400 }, () => Deno.connect({ hostname: "127.0.0.1", port: stack.port })),
  );
  await waitUntil(() => Promise.resolve(stack.output().includes("http_server_failed")), {
    timeoutMs: 60_000,
    what: "the end of the files",
  });
  for (const caller of callers) {
    if (caller.status === "fulfilled") caller.value.close();
  }
  await waitUntil(async () => (await sendFromDemo(stack)).messageId !== undefined, {
    timeoutMs: 60_000,
    what: "a message sent afterwards",
  });
}

async function stopTwice(stack: LocalStack): Promise<void> {
  const never = Promise.withResolvers<Response>();
  await using provider = startHttpDouble(() => never.promise);
  const instance = await createInstance(stack, provider.baseUrl);
  const answering = stack.call(instance, "send-message", {
    instanceId: instance.instanceId,
    phone: "5511966660001",
    messageType: "text",
    message: "agora",
  }).catch(() => "cut off");
  await waitUntil(() => provider.requests.length === 1, { what: "the provider call" });
  stack.signal("SIGINT");
  await waitUntil(() => stack.output().includes("Stopping."), { what: "the stop" });
  stack.signal("SIGINT");
  assertEquals(await stack.ended(), 0);
  assertEndedByItself(stack);
  assertEquals(await answering, "cut off");
  never.resolve(new Response());
}

/** Kills one backend: Postgres then ends all others and recovers from its log. */
async function killOneBackend(postmaster: number): Promise<void> {
  // One that is seen may have ended by itself, and a busy machine connects late: then another look.
  await waitUntil(async () => {
    const { stdout } = await new Deno.Command("ps", {
      args: ["-o", "pid=,args=", "--ppid", String(postmaster)],
    }).output();
    const backend = new TextDecoder().decode(stdout).split("\n")
      .find((line) => line.includes("127.0.0.1"));
    if (backend === undefined) return false;
    Deno.kill(Number.parseInt(backend), "SIGKILL");
    return true;
  }, { what: "a connection to kill" });
}
