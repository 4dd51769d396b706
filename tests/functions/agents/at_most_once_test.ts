import { createAgentReplies } from "../../../shared/agents/reply.ts";
import { claimOutbox, deliverOutboxRow } from "../../../shared/outbox/delivery.ts";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { type AgentClient, complete, createAgentClient } from "./agent_client.ts";

interface HeldDelivery {
  /** Stores the message, in the transaction that is still open. */
  record(): Promise<unknown>;
  commit(): Promise<void>;
}

/** A delivery of a text whose transaction has begun, and ends when it is told to. */
async function beginDelivery(
  { webhooks, tenant }: AgentClient,
  messageId: string,
  message: string,
): Promise<HeldDelivery> {
  const payload = { type: "ReceivedCallback", phone, messageId, text: { message } };
  const events = JSON.parse(JSON.stringify(readProviderEvents("zapi", payload)));
  const { instanceId } = tenant;
  const connection = await webhooks.stack.testDatabase.connect({ max: 1 }).reserve();
  await connection`begin`;
  await connection`select now()`;
  return {
    record: () =>
      callFunction(connection as never, "record_provider_events", {
        ...{ instanceId, payload: "{}", events },
      }),
    commit: async () => {
      await connection`commit`;
      connection.release();
    },
  };
}

function makeRepliesDue({ webhooks }: AgentClient): Promise<unknown> {
  return webhooks.stack.admin`
    update messaging.outbox set run_at = clock_timestamp() where status = 'pending'`.then();
}

Deno.test("a message that began before an answered one but commits after it is answered too", async () => {
  await using client = await createAgentClient();
  const late = await beginDelivery(client, "IN2", "e mais uma coisa");
  await client.write("IN1", "oi");
  client.model.answer = async () => {
    client.model.answer = () => complete("Sobre isso também.");
    await late.record();
    await late.commit();
    return complete("Oi!");
  };
  await makeRepliesDue(client);
  await client.answer();
  await client.answer();
  assertEquals(client.asked().map((said) => said.toSorted()), [["oi"], ["e mais uma coisa", "oi"]]);
  assertEquals(client.sent(), ["Oi!", "Sobre isso também."]);
  await client.answer();
  assertEquals(client.model.requests.length, 2);
});

Deno.test("a message that joins a waiting answer is part of it, however late it commits", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  await letTimePass(client.webhooks.stack.admin, 60);
  const late = await beginDelivery(client, "IN2", "tudo bem?");
  await late.record();
  const replies = createAgentReplies(client.webhooks.stack.database, () => {
    throw new Error("nobody is to be asked yet");
  });
  const claim = { kinds: ["agent_reply"], maxRows: 10 } as const;
  const rows = await claimOutbox(client.webhooks.stack.database, claim);
  for (const row of rows) await deliverOutboxRow(client.webhooks.stack.services, replies, row);
  await late.commit();
  await client.answer();
  assertEquals(client.asked(), [["oi", "tudo bem?"]]);
  assertEquals(client.sent(), ["Posso ajudar?"]);
});

Deno.test("two workers at one conversation give one answer to what both have read", async () => {
  await using client = await createAgentClient();
  const { database } = client.webhooks.stack;
  await client.write("IN1", "oi");
  await makeRepliesDue(client);
  const claim = { kinds: ["agent_reply"], maxRows: 10 } as const;
  const [first] = await claimOutbox(database, claim);
  await client.write("IN2", "tudo bem?");
  await makeRepliesDue(client);
  // The lease of the first worker has ended as well: both rows are in somebody's hands.
  const rows = [first!, ...await claimOutbox(database, claim)];
  const bothAsked = Promise.withResolvers<void>();
  let asked = 0;
  const replies = createAgentReplies(database, async () => {
    asked += 1;
    if (asked === rows.length) bothAsked.resolve();
    await bothAsked.promise;
    return { text: "Posso ajudar?" };
  });
  await Promise.all(
    rows.map((row) => deliverOutboxRow(client.webhooks.stack.services, replies, row)),
  );
  await client.webhooks.stack.dispatch();
  assertEquals(client.sent(), ["Posso ajudar?"]);
});

Deno.test("an answer that another one overtook is thought over again with that one in mind", async () => {
  await using client = await createAgentClient();
  const { database } = client.webhooks.stack;
  const claim = { kinds: ["agent_reply"], maxRows: 10 } as const;
  const hold = async (): Promise<{ readonly isAsked: Promise<void>; end(): Promise<void> }> => {
    await makeRepliesDue(client);
    const [row] = await claimOutbox(database, claim);
    const asked = Promise.withResolvers<void>();
    const thought = Promise.withResolvers<void>();
    const replies = createAgentReplies(database, async (_model, messages) => {
      asked.resolve();
      await thought.promise;
      return { text: `Sobre: ${messages.at(-1)?.content}` };
    });
    const isOver = deliverOutboxRow(client.webhooks.stack.services, replies, row!);
    const end = async (): Promise<void> => {
      thought.resolve();
      await isOver;
    };
    return { isAsked: asked.promise, end };
  };
  await client.write("IN1", "oi");
  const first = await hold();
  await first.isAsked;
  await client.write("IN2", "abre hoje?");
  const second = await hold();
  await second.isAsked;
  await first.end();
  await second.end();
  await client.webhooks.stack.dispatch();
  assertEquals(client.sent(), ["Sobre: oi"]);
  client.model.answer = () => complete("Sim, até as 18h.");
  await letTimePass(client.webhooks.stack.admin, 60);
  await client.answer();
  assertEquals(client.sent(), ["Sobre: oi", "Sim, até as 18h."]);
  const told = client.model.requests[0]?.json["messages"] as { content: string }[];
  const lines = told.slice(1).flatMap(({ content }) => content.split("\n"));
  assertEquals(lines.toSorted(), [
    "Sobre: oi",
    "[the contact is still waiting for an answer]",
    "abre hoje?",
    "oi",
  ]);
});

Deno.test("a worker that died at the model leaves the answer to another, which gives one", async () => {
  await using client = await createAgentClient();
  const { database, admin } = client.webhooks.stack;
  await client.write("IN1", "oi");
  await letTimePass(admin, 4);
  const [row] = await claimOutbox(database, { kinds: ["agent_reply"], maxRows: 1 });
  const died = Promise.withResolvers<void>();
  const resurrected = Promise.withResolvers<void>();
  const late = deliverOutboxRow(
    client.webhooks.stack.services,
    createAgentReplies(database, async () => {
      died.resolve();
      await resurrected.promise;
      return { text: "Eu ainda vivo!" };
    }),
    row!,
  );
  await died.promise;
  await letTimePass(admin, 600);
  await client.answer();
  assertEquals(client.sent(), ["Posso ajudar?"]);
  // It was not dead after all.
  resurrected.resolve();
  await late;
  await client.answer();
  assertEquals(client.sent(), ["Posso ajudar?"]);
});

Deno.test("a worker that died between recording the answer and its receipt gives no second one", async () => {
  await using client = await createAgentClient();
  const { database, admin } = client.webhooks.stack;
  await client.write("IN1", "oi");
  await letTimePass(admin, 4);
  const [row] = await claimOutbox(database, { kinds: ["agent_reply"], maxRows: 1 });
  const replies = createAgentReplies(database, () => Promise.resolve({ text: "Posso ajudar?" }));
  assertEquals((await replies(row!)).outcome, "done");
  await letTimePass(admin, 600);
  await client.answer();
  assertEquals([client.model.requests.length, client.sent()], [0, ["Posso ajudar?"]]);
  assertEquals(await client.outbox(), [["done", null]]);
});
