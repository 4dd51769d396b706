import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { type HttpDouble, startHttpDouble } from "../support/doubles/http_double.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const { seconds = 4, concurrency = 4_000 } = readFaultSettings();
/** A calm answer takes less than a second; on a busy machine longer. */
const calmAnswerMs = 1_000;
const busySlack = 10;

Deno.test("under overload the stack rejects some calls, loses no accepted message, and recovers", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using provider = startHttpDouble(() => {
    const messageId = crypto.randomUUID();
    return Response.json({ zaapId: messageId, messageId, id: messageId });
  });
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const instance = await createInstance(stack, provider);

  let sequence = 0;
  const answerInMs = async (): Promise<number> => {
    const startedAt = performance.now();
    const { status } = await send(stack, instance, sequence++);
    return status === 200 ? performance.now() - startedAt : Infinity;
  };
  // The first call opens connections.
  await answerInMs();
  const unhurriedMs = Math.max(calmAnswerMs, busySlack * await answerInMs());
  assert(Number.isFinite(unhurriedMs), "an answer before the load");

  const statuses = new Map<number, number>();
  const accepted = new Set<string>();
  const stored = { tooLate: 0 };
  const until = performance.now() + seconds * 1_000;
  const call = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status, body } = await send(stack, instance, sequence++);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) accepted.add(body.messageId);
      // On a slow machine a claim may grow too old for the call: the message is stored, and not sent.
      else if (body.details?.code === "claim_too_old") stored.tooLate += 1;
      // A refused caller retries; here it does so at once, which is the worst case.
      else assert([429, 503].includes(status), `${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, call));

  const endedAt = performance.now();
  const isCalm = async (): Promise<boolean> => await answerInMs() < unhurriedMs;
  await waitUntil(isCalm, { intervalMs: 0, what: "a calm answer after the end" });
  const calmAfterMs = performance.now() - endedAt;

  const rows = await database.admin<{ id: string; status: string }[]>`
    select id, status from messaging.messages where instance_id = ${instance.instanceId}`;
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  for (const id of accepted) assertEquals(statusOf.get(id), "sent");
  const received = provider.requests.map(({ json }) => String(json["message"]));
  assertEquals(new Set(received).size, received.length, "no message twice");
  const sent = rows.filter(({ status }) => status === "sent").length;
  assertEquals(received.length, sent, "what was sent is stored as such, and nothing else");
  // A call whose process waited ten seconds for the processor is told 503, though it is stored.
  const toldOtherwise = stored.tooLate + (statuses.get(503) ?? 0);
  assert(
    rows.length - sent <= toldOtherwise,
    `${rows.length - sent} stored calls were told nothing`,
  );
  printFigures("overload", {
    callers: concurrency,
    seconds,
    accepted: accepted.size,
    refused: [...statuses].filter(([status]) => status !== 200).map(([s, n]) => `${n}x${s}`)
      .join(" ") || "none",
    "calm after ms": Math.round(calmAfterMs),
  });
});

function send(
  stack: LocalStack,
  instance: StackInstance,
  sequence: number,
): ReturnType<LocalStack["call"]> {
  return stack.call(instance, "send-message", {
    instanceId: instance.instanceId,
    phone: String(5_521_990_000_000 + sequence % 500),
    messageType: "text",
    message: `message ${sequence}`,
  });
}

async function createInstance(stack: LocalStack, provider: HttpDouble): Promise<StackInstance> {
  const { workspaceId } = await stack.administer("workspaces", { name: "Carga" });
  return await stack.createInstance({
    workspaceId,
    provider: "zapi",
    requestsPerMinute: null,
    providerConfig: {
      baseUrl: provider.baseUrl,
      gatewayInstanceId: "LOAD",
      token: "load-token",
      webhookSecret: "load-webhook-secret-0123456789",
    },
  });
}
