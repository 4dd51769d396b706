import { join } from "node:path";
import { assert, assertEquals, assertGreater } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { useEmbeddedDatabase } from "../support/stack/embedded_database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const instanceCount = 20;
const immediateCount = 60;
const scheduledCount = 40;
/** How long the provider takes: many calls are under way at any moment. */
const answerMs = 400;

Deno.test("kill -9 while 120 messages go out, and a new start, neither lose nor repeat one", async () => {
  await using folder = await makeTemporaryFolder();
  const dataDir = join(folder.path, "data");
  const received = new Map<string, number>();
  const struck = Promise.withResolvers<void>();
  const killedThen = Promise.withResolvers<void>();
  await using provider = startHttpDouble(async (request) => {
    const text = String(request.json["message"]);
    received.set(text, (received.get(text) ?? 0) + 1);
    if (received.size === 60) {
      // The kill meets this call, at whatever pace the machine works.
      struck.resolve();
      await killedThen.promise;
    }
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    return acceptMessage(request);
  });

  await copyCluster(dataDir);
  await using killed = await startLocalStack({ dataDir });
  const instances = await createInstances(killed, provider.baseUrl);
  const accepted = sendAll(killed, instances);
  // Kills the stack when more than 30 messages are sent and a call is open, at whatever pace.
  await waitUntil(async () => {
    const sent = (await readMessages(dataDir)).filter(({ status }) => status === "sent");
    return sent.length > 30;
  }, { what: "30 messages to be sent" });
  await struck.promise;
  killed.signal("SIGKILL");
  await killed.ended();
  killedThen.resolve();
  const acceptedIds = await accepted;

  await using stack = await startLocalStack({ dataDir });
  const rows = await waitUntil(async () => {
    const all = await readMessages(dataDir);
    return all.every(({ status }) => !["queued", "sending"].includes(status)) ? all : false;
  }, { timeoutMs: 180_000, intervalMs: 250, what: "every message to be settled" });

  for (const { id, instanceId, message, status } of rows) {
    const times = received.get(message) ?? 0;
    if (status === "sent") assertEquals(times, 1, `${message} is sent`);
    else {
      assertEquals(status, "unconfirmed", message);
      assert(times <= 1, `${message} is unconfirmed and arrived ${times} times`);
    }
    const instance = instances.find((known) => known.instanceId === instanceId);
    assert(instance !== undefined);
    const seen = await stack.call(instance, `messages-api/messages/${id}`);
    assertEquals([seen.status, seen.body.status], [200, status]);
  }
  const ids = new Set(rows.map(({ id }) => id));
  assertEquals(acceptedIds.filter((id) => !ids.has(id)), [], "what was accepted is there");
  const texts = new Set(rows.map(({ message }) => message));
  assertEquals(
    [...received.keys()].filter((text) => !texts.has(text)),
    [],
    "what arrived is there",
  );
  // Otherwise the kill came before or after everything, and the test proves nothing.
  const unconfirmed = rows.filter(({ status }) => status === "unconfirmed");
  assertGreater(unconfirmed.length, 0);
  assertGreater(rows.length - unconfirmed.length, 30);
});

async function createInstances(stack: LocalStack, baseUrl: string): Promise<StackInstance[]> {
  const { workspaceId } = await stack.administer("workspaces", { name: "Empresa" });
  return await Promise.all(
    Array.from({ length: instanceCount }, (_, number) =>
      stack.createInstance({
        workspaceId,
        provider: "zapi",
        providerConfig: {
          baseUrl,
          gatewayInstanceId: `KILL-${number}`,
          token: "kill-token",
          webhookSecret: "kill-webhook-secret-0000000001",
        },
      })),
  );
}

/**
 * Makes all calls; killed ones have no answer. What a busy machine cannot serve in time is repeated under
 * its key, so that enough of them leave before the kill. @returns the ids of the answered ones.
 */
async function sendAll(stack: LocalStack, instances: readonly StackInstance[]): Promise<string[]> {
  const drafts = [
    ...repeat(scheduledCount, (number) => ({ delayMessage: 0.2 + number * 0.05 })),
    ...repeat(instanceCount, () => ({ queued: true, intervalSeconds: 10 })),
    ...repeat(immediateCount, () => ({})),
  ];
  const answers = drafts.map(async (draft, number): Promise<string[]> => {
    const instance = instances[number % instances.length];
    assert(instance !== undefined);
    try {
      for (;;) {
        const { status, body } = await stack.call(instance, "send-message", {
          instanceId: instance.instanceId,
          phone: `5511944${String(number).padStart(6, "0")}`,
          messageType: "text",
          message: `Mensagem ${number}`,
          ...draft,
        }, { "idempotency-key": `kill-${number}` });
        if (status !== 503) return body?.messageId === undefined ? [] : [body.messageId];
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    } catch {
      return [];
    }
  });
  return (await Promise.all(answers)).flat();
}

function repeat<Result>(count: number, make: (number: number) => Result): Result[] {
  return Array.from({ length: count }, (_, number) => make(number));
}

interface MessageRow {
  readonly id: string;
  readonly instanceId: string;
  readonly message: string;
  readonly status: string;
}

/** From the stack's database, because killed calls returned no ids. */
async function readMessages(dataDir: string): Promise<MessageRow[]> {
  return await useEmbeddedDatabase(dataDir, (sql) =>
    sql<MessageRow[]>`
      select id, instance_id as "instanceId", message, status from messaging.messages`);
}
