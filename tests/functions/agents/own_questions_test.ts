/** Questions that the agent itself asks, by `ask` in its answer. */

import { runQuestions } from "../../../shared/messages/maintenance.ts";
import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { listEnds, read } from "../questions/question_client.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { type AgentClient, complete, createAgentClient } from "./agent_client.ts";

const question = {
  message: "Que dia fica bom?",
  ask: { accept: "date", answerWithin: "PT2H", remindAfter: "PT30M", key: "visita" },
};

/** The agent asks in answer to the contact's first words. @returns the question's id. */
async function letAgentAsk(client: AgentClient, answer: unknown = question): Promise<string> {
  client.model.answer = () => complete(JSON.stringify(answer));
  await client.write("IN1", "quero uma visita");
  await client.answer();
  client.model.answer = () => complete("Combinado!");
  const [row] = await client.webhooks.stack.admin`select id from messaging.questions`;
  return row?.["id"];
}

/** The last line of what the model was given. */
function lastTold({ model }: AgentClient): string | undefined {
  const messages = model.requests.at(-1)?.json["messages"] as { content: string }[];
  return messages.at(-1)?.content;
}

/** Half an hour later: what is due of questions is done, and what is due is sent. */
async function letReminderComeDue({ webhooks: { stack } }: AgentClient): Promise<void> {
  await letTimePass(stack.admin, 1_860);
  await runQuestions(stack.database);
  await stack.dispatch();
}

Deno.test("an agent's question goes as its words, and its answer comes back to the model with what was read of it", async () => {
  await using client = await createAgentClient();
  const questionId = await letAgentAsk(client);
  assertEquals(client.sent(), ["Que dia fica bom?"]);
  const asked = await read(client.webhooks, client.tenant, questionId);
  assertEquals([asked.status, asked.accept, asked.key], ["open", "date", "visita"]);

  await client.write("IN2", "ainda não sei");
  await client.answer();
  assertEquals([client.sent().length, lastTold(client)], [2, "ainda não sei"]);
  assertEquals((await read(client.webhooks, client.tenant, questionId)).status, "open");

  await client.write("IN3", "25/12/2099");
  await client.answer();
  assertEquals(lastTold(client), '25/12/2099 [read as "2099-12-25"]');
  assertEquals(client.sent().at(-1), "Combinado!");
  const { status, answer } = await read(client.webhooks, client.tenant, questionId);
  assertEquals([status, answer], ["answered", { text: "25/12/2099", value: "2099-12-25" }]);
  assertEquals(await listEnds(client.webhooks, client.tenant), [["answered", questionId]]);
});

Deno.test("an agent's question with options accepts the choice, tapped or typed, and the agent goes on", async () => {
  await using client = await createAgentClient();
  const buttons = [{ id: "ouro", title: "Ouro" }, { id: "prata", title: "Prata" }];
  const questionId = await letAgentAsk(client, { message: "Qual plano?", buttons, ask: {} });
  const asked = await read(client.webhooks, client.tenant, questionId);
  assertEquals(
    Date.parse(asked.expiresAt) - Date.parse(asked.openedAt),
    86_400_000,
    "a day, where the model does not say",
  );
  await client.write("IN2", "prata!");
  await client.answer();
  assertEquals(lastTold(client), 'Prata [option "prata"]');
  const { status, answer } = await read(client.webhooks, client.tenant, questionId);
  assertEquals([status, answer.choice.id], ["answered", "prata"]);
});

Deno.test("an agent's question reminds once, expires, and what comes later is an ordinary message", async () => {
  await using client = await createAgentClient();
  const questionId = await letAgentAsk(client);
  await letReminderComeDue(client);
  await letReminderComeDue(client);
  assertEquals(client.sent(), ["Que dia fica bom?", "Que dia fica bom?"]);
  await letTimePass(client.webhooks.stack.admin, 7_200);
  await runQuestions(client.webhooks.stack.database);
  assertEquals(await listEnds(client.webhooks, client.tenant), [["expired", questionId]]);
  await client.write("IN2", "25/12/2099");
  await client.answer();
  assertEquals([lastTold(client), client.sent().length], ["25/12/2099", 3]);
});

Deno.test("an operator who takes over silences the agent's question: no reminder, no reply, and the answer is told", async () => {
  await using client = await createAgentClient();
  const questionId = await letAgentAsk(client);
  const { webhooks, tenant } = client;
  // 29 minutes later, so that the pause of the operator's message lasts when the reminder comes due.
  await letTimePass(webhooks.stack.admin, 1_740);
  await webhooks.stack.send(tenant, { phone, messageType: "text", message: "Assumo daqui." });
  await letTimePass(webhooks.stack.admin, 120);
  await runQuestions(webhooks.stack.database);
  await webhooks.stack.dispatch();
  assertEquals(client.sent(), ["Que dia fica bom?", "Assumo daqui."]);
  const silenced = await read(webhooks, tenant, questionId);
  assertEquals([silenced.status, silenced.reminderStatus], ["open", "refused"]);

  await client.write("IN2", "25/12/2099");
  await client.answer();
  assertEquals([client.model.requests.length, client.sent().length], [1, 2]);
  assertEquals(await listEnds(webhooks, tenant), [["answered", questionId]]);
});

Deno.test("the question of an agent that was deactivated reminds nobody", async () => {
  await using client = await createAgentClient();
  const questionId = await letAgentAsk(client);
  await client.webhooks.stack.admin`update messaging.ai_agents set is_active = false`;
  await letReminderComeDue(client);
  assertEquals(client.sent(), ["Que dia fica bom?"]);
  const { reminderStatus } = await read(client.webhooks, client.tenant, questionId);
  assertEquals(reminderStatus, "refused");
});

Deno.test("a pause that begins before the agent's question has left ends it as not sent", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  // A person writes on the company's phone before the message is claimed.
  await stack.admin`
    create function messaging.pause_now() returns trigger language plpgsql as $$ begin
      perform messaging.pause_agent(new.instance_id, new.contact_id, clock_timestamp());
      return null;
    end $$`;
  await stack.admin`
    create trigger pause_now after insert on messaging.questions
    for each row execute function messaging.pause_now()`;
  const questionId = await letAgentAsk(client);
  assertEquals(client.sent(), []);
  assertEquals(await listEnds(client.webhooks, client.tenant), [
    ["canceled", questionId, "not_sent"],
  ]);
});

Deno.test("a question that is not asked as it should be goes as words that ask nothing", async () => {
  const wrong: unknown[] = [
    { ...question, ask: { accept: "date", answerWithin: "2h" } },
    { ...question, ask: { accept: "choice" } },
    { ...question, ask: { answerWithin: "PT1H", remindAfter: "PT2H" } },
    { ...question, ask: "date" },
  ];
  for (const answer of wrong) {
    await using client = await createAgentClient();
    assertEquals(await letAgentAsk(client, answer), undefined);
    assertEquals(client.sent(), ["Que dia fica bom?"]);
  }
});
