import { createConversationsApiApp } from "../../../functions/conversations-api/app.ts";
import { createAgentReplies } from "../../../shared/agents/reply.ts";
import { claimOutbox, deliverOutboxRow } from "../../../shared/outbox/delivery.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { type AgentClient, createAgentClient } from "./agent_client.ts";
import { callApp } from "../../support/stack/app_calls.ts";

/** As if the agent had given so many answers, the last one a minute ago, one a minute. */
async function pretendAnswers({ webhooks }: AgentClient, count: number): Promise<void> {
  await webhooks.stack.admin`
    update messaging.agent_sessions set answered_at = array(
      select clock_timestamp() - make_interval(mins => ${count} + 1 - minute)
      from generate_series(1, ${count}::integer) as minute order by minute
    )`;
}

interface PauseAnswer {
  readonly paused: boolean;
  readonly aiAgentPausedUntil: string;
}

async function callPause(client: AgentClient, pause: object | null): Promise<PauseAnswer> {
  const { services } = client.webhooks.stack;
  const app = createConversationsApiApp(services);
  const named = { instanceId: client.tenant.instanceId, phone };
  const query = pause === null ? `?${new URLSearchParams(named)}` : "";
  const response = await callApp(app, `/conversations-api/agent-pause${query}`, {
    method: pause === null ? "GET" : "POST",
    headers: { "X-Client-Token": client.tenant.token, "Content-Type": "application/json" },
    ...(pause === null ? {} : { body: JSON.stringify({ ...named, ...pause }) }),
  });
  return await response.json();
}

Deno.test("the agent answers a contact 30 times an hour: the 31st message is not answered, and operators see why", async () => {
  await using client = await createAgentClient();
  const { admin, logLines } = client.webhooks.stack;
  await client.write("IN1", "oi");
  await client.answer();
  await pretendAnswers(client, 29);
  await client.write("IN30", "oi");
  await client.answer();
  assertEquals(client.sent().length, 2, "the 30th");
  await client.write("IN31", "oi");
  await client.write("IN32", "oi");
  await client.answer();
  assertEquals([client.model.requests.length, client.sent().length], [2, 2]);
  // What the model costs and the contact reads ends; that it ended is told once, in three places.
  assertEquals((await client.outbox()).slice(2), [["dead", "agent_answer_limit"]]);
  const dead = logLines.filter(({ event }) => event === "outbox_row_dead_lettered");
  assertEquals(dead.map(({ fields }) => fields["error"]), ["agent_answer_limit"]);
  const notes = await admin`select note, is_automatic from messaging.internal_notes`;
  assertEquals(notes.length, 1);
  assert(notes[0]?.["is_automatic"] && /limite de respostas/.test(notes[0]["note"]));
  const { paused, aiAgentPausedUntil } = await callPause(client, null);
  const minutes = (Date.parse(aiAgentPausedUntil) - Date.now()) / 60_000;
  assert(paused && minutes > 29 && minutes < 32, `${minutes} minutes`);
});

Deno.test("the agent answers again as soon as an hour holds fewer than 30 answers", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  await client.answer();
  await pretendAnswers(client, 30);
  await client.write("IN31", "oi");
  await client.answer();
  assertEquals(client.sent().length, 1);
  await letTimePass(client.webhooks.stack.admin, 31 * 60);
  await client.write("IN32", "oi?");
  await client.answer();
  assertEquals(client.sent().length, 2);
  await client.write("IN33", "oi!");
  await client.answer();
  assertEquals(client.sent().length, 3, "the second oldest is over an hour old by then too");
});

Deno.test("an operator who lets the agent speak again gives it all answers of an hour", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  await client.answer();
  await pretendAnswers(client, 30);
  await client.write("IN31", "oi");
  await client.answer();
  assertEquals((await callPause(client, { paused: false })).paused, false);
  await client.write("IN32", "oi");
  await client.answer();
  assertEquals(client.sent().length, 2);
  const [session] = await client.webhooks.stack.admin`
    select cardinality(answered_at) as answers from messaging.agent_sessions`;
  assertEquals(session?.["answers"], 1);
});

Deno.test("an answer whose turn comes after the 30th is not given, though it was asked for before", async () => {
  await using client = await createAgentClient();
  const { database, services } = client.webhooks.stack;
  await client.write("IN1", "oi");
  await client.answer();
  await pretendAnswers(client, 29);
  await client.write("IN30", "oi");
  await letTimePass(client.webhooks.stack.admin, 4);
  const [row] = await claimOutbox(database, { kinds: ["agent_reply"], maxRows: 1 });
  const replies = createAgentReplies(database, async () => {
    await pretendAnswers(client, 30);
    return { text: "Tarde demais" };
  });
  await deliverOutboxRow(services, replies, row!);
  await client.webhooks.stack.dispatch();
  assertEquals(client.sent().length, 1);
  assertEquals((await client.outbox()).at(-1), ["dead", "agent_answer_limit"]);
});

Deno.test("what the agent may answer is counted for each contact by itself, and kept short", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  await client.answer();
  await pretendAnswers(client, 30);
  const other = { phone: "5511966665555", messageId: "OTHER1", text: { message: "oi" } };
  await client.webhooks.receive(client.tenant, other);
  await client.answer();
  assertEquals(client.sent().length, 2);
  await letTimePass(client.webhooks.stack.admin, 3_600);
  await client.write("IN2", "oi");
  await client.answer();
  const sessions = await client.webhooks.stack.admin`
    select cardinality(answered_at) as answers from messaging.agent_sessions order by 1`;
  assertEquals(sessions.map((row) => row["answers"]), [1, 30]);
});
