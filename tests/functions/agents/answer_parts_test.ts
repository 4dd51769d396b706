/** An agent's answer as several messages (`maxMessagesPerAnswer`). */

import { createAgentReplies } from "../../../shared/agents/reply.ts";
import { claimOutbox } from "../../../shared/outbox/delivery.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { type AgentClient, complete, createAgentClient } from "./agent_client.ts";

async function createTalker(maxMessages: number, answer: string): Promise<AgentClient> {
  const client = await createAgentClient();
  await client.webhooks.stack.admin`
    update messaging.ai_agents set max_messages_per_answer = ${maxMessages}`;
  client.model.answer = () => complete(answer);
  return client;
}

/** Lets half a second and more pass, some times, with a dispatcher at work. */
async function letPartsLeave({ webhooks: { stack } }: AgentClient, rounds = 4): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await letTimePass(stack.admin, 1);
    await stack.dispatch();
  }
}

const four = "Um.\n\nDois.\n\nTrês.\n\nQuatro.";
const three = ["Um.", "Dois.", "Três.\n\nQuatro."];

/** What is refused for now: the provider asks for patience. */
const refuseForNow = (): Response => Response.json({ error: "slow down" }, { status: 429 });

Deno.test("an answer is as many messages as the agent may send, in order, each of them the agent's", async () => {
  await using client = await createTalker(3, four);
  await client.write("IN1", "oi");
  await client.answer();
  await letPartsLeave(client);
  assertEquals(client.sent(), three);
  assertEquals(client.model.requests.length, 1);
  const answers = (await client.messages()).slice(1);
  assertEquals(
    answers.map((row) => [row["message"], row["sent_by"], row["agent_id"], row["status"]]),
    three.map((text) => [text, "ai_agent", client.agentId, "sent"]),
  );
  const { body } = await client.webhooks.history(client.tenant);
  assertEquals(
    body.conversation.map((item: Record<string, string>) => [item["role"], item["content"]]),
    [["user", "oi"], ...three.map((text) => ["assistant", text])],
  );
  client.model.answer = () => complete("Sim.");
  await client.write("IN2", "abre hoje?");
  await client.answer();
  await letPartsLeave(client, 1);
  assertEquals(client.sent(), [...three, "Sim."]);
});

Deno.test("an answer is one message unless the agent may send more, or where it offers choices", async () => {
  await using client = await createTalker(1, four);
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.sent(), [four]);
  await client.webhooks.stack.admin`update messaging.ai_agents set max_messages_per_answer = 5`;
  const offer = { message: "Qual?\n\nEscolha.", buttons: [{ id: "a", title: "A" }] };
  client.model.answer = () => complete(JSON.stringify(offer));
  await client.write("IN2", "quero");
  await client.answer();
  await letPartsLeave(client, 2);
  assertEquals(client.sent(), [four, "Qual?\n\nEscolha."]);
});

Deno.test("no message of an answer leaves while the provider has not answered for the one before it", async () => {
  await using client = await createTalker(2, "Um.\n\nDois.");
  const { provider, dispatch } = client.webhooks.stack;
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  provider.answer = async () => {
    called.resolve();
    await answered.promise;
    return Response.json({ zaapId: "z", messageId: crypto.randomUUID(), id: "i" });
  };
  await client.write("IN1", "oi");
  const first = client.answer();
  await called.promise;
  for (let round = 0; round < 3; round++) {
    await letTimePass(client.webhooks.stack.admin, 1);
    await dispatch({ durationMs: 40 });
  }
  assertEquals(client.sent(), ["Um."]);
  answered.resolve();
  await first;
  await letPartsLeave(client, 2);
  assertEquals(client.sent(), ["Um.", "Dois."]);
});

Deno.test("what comes after a message that is tried again waits for it, and what comes after a failed one leaves", async () => {
  await using client = await createTalker(3, "Um.\n\nDois.\n\nTrês.");
  const { provider, admin } = client.webhooks.stack;
  const accept = provider.answer;
  provider.answer = refuseForNow;
  await client.write("IN1", "oi");
  await client.answer();
  await letPartsLeave(client, 1);
  assertEquals(new Set(client.sent()), new Set(["Um."]));
  const refused = client.sent().length;
  provider.answer = (request) =>
    request.json["message"] === "Dois."
      ? Response.json({ error: "invalid" }, { status: 400 })
      : accept(request);
  await letTimePass(admin, 3_600);
  await letPartsLeave(client);
  assertEquals(client.sent().slice(refused), ["Um.", "Dois.", "Três."]);
  const statuses = (await client.messages()).slice(1).map((row) => row["status"]);
  assertEquals(statuses, ["sent", "failed", "sent"]);
});

Deno.test("an operator who writes between the messages of an answer ends it; the person does not", async () => {
  await using client = await createTalker(2, "Um.\n\nDois.");
  const { stack } = client.webhooks;
  const { answer } = stack.provider;
  // On a slow machine half a second is over before the test has looked: what follows waits until it is told.
  stack.provider.answer = async (request) => {
    if (request.json["message"] === "Um.") await holdFollowers(true);
    return await answer(request);
  };
  const holdFollowers = (isHeld: boolean): Promise<unknown> =>
    stack.admin`
      update messaging.message_queue
      set visible_at = case when ${isHeld} then 'infinity' else clock_timestamp() end
      where goes_after is not null`.then();
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.sent(), ["Um."]);
  await client.write("IN2", "e mais");
  // A minute is left until the answer to that is due, which this dispatcher has no model for.
  await letTimePass(stack.admin, -60);
  await holdFollowers(false);
  await stack.dispatch();
  assertEquals(client.sent(), ["Um.", "Dois."]);
  await letTimePass(stack.admin, 60);
  await client.answer();
  assertEquals(client.sent(), ["Um.", "Dois.", "Um."]);
  await stack.send(client.tenant, { phone, messageType: "text", message: "Aqui é a Rita." });
  await holdFollowers(false);
  await letPartsLeave(client);
  assertEquals(client.sent(), ["Um.", "Dois.", "Um.", "Aqui é a Rita."]);
  const [last] = await stack.admin`
    select status, last_error->>'code' as code from messaging.messages
    where message = 'Dois.' order by created_at desc limit 1`;
  assertEquals({ ...last }, { status: "failed", code: "agent_paused" });
});

Deno.test("a worker that died between recording the messages and its receipt records none twice", async () => {
  await using client = await createTalker(2, "Um.\n\nDois.");
  const { database, admin } = client.webhooks.stack;
  await client.write("IN1", "oi");
  await letTimePass(admin, 4);
  const [row] = await claimOutbox(database, { kinds: ["agent_reply"], maxRows: 1 });
  const replies = createAgentReplies(
    database,
    () => Promise.resolve({ text: "Um.\n\nDois." }),
  );
  assertEquals((await replies(row!)).outcome, "done");
  await letTimePass(admin, 600);
  await client.answer();
  await letPartsLeave(client);
  assertEquals([client.model.requests.length, client.sent()], [0, ["Um.", "Dois."]]);
});

Deno.test("an answer of which one message cannot be recorded takes no turn and records none", async () => {
  await using client = await createTalker(2, "Um.\n\nDois.");
  const { admin } = client.webhooks.stack;
  await client.write("IN1", "oi");
  const answer = (messages: readonly object[]) =>
    callFunction<{ messageIds: string[] }>(admin, "accept_answer", {
      ...{ instanceId: client.tenant.instanceId, phone, idempotency: null, assignment: null },
      ...{ messages, agent: { agentId: client.agentId, answeredBefore: 0, answersThrough: 1 } },
      delivery: { queued: false, isDeferred: true, intervalSeconds: 30, delaySeconds: 0 },
    });
  const text = { messageType: "text", message: "Um.", sentBy: "ai_agent" };
  await assertRejects(() => answer([text, { message: "Dois.", sentBy: "ai_agent" }]));
  assertEquals((await client.messages()).length, 1);
  assertEquals((await answer([text, text])).messageIds.length, 2);
  await assertRejects(() => answer([text]), Error, "agent_silent");
  assertEquals((await client.messages()).length, 3);
});
