/** What becomes of an answer that holds markup of a model, from the webhook to the channel. */

import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { type AgentClient, complete, createAgentClient } from "./agent_client.ts";

const unknown = "<ponder>segredo</ponder>Olá!";

/** The events agent.needs_person, and whether the conversation waits for an answer. */
async function readNeeds({ webhooks }: AgentClient): Promise<readonly unknown[]> {
  const events = await webhooks.stack.admin`
    select e.data, a.awaits_reply, e.data->>'contactId' = c.id::text
      and e.data->>'conversationId' = v.id::text as names_them
    from messaging.events e
    join messaging.contacts c on c.id = e.contact_id
    join messaging.conversations v on v.contact_id = c.id
    join messaging.contact_activity a on a.contact_id = c.id
    where e.type = 'agent.needs_person' order by e.recorded_at`;
  return events.map((row) => [row["data"].reason, row["awaits_reply"], row["names_them"]]);
}

Deno.test("a tool call and signs of Markdown do not reach the contact, the words do", async () => {
  await using client = await createAgentClient();
  client.model.answer = () =>
    complete(
      "# Planos\n\n| Plano | Preço |\n|---|---|\n| **Básico** | R$ 10 |\n\n[Veja](https://a.example)" +
        '<tool_call>{"name": "segredo", "arguments": {}}</tool_call>',
    );
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.sent(), [
    "*Planos*\n\n- Plano: *Básico*; Preço: R$ 10\n\nVeja (https://a.example)",
  ]);
});

Deno.test("an answer with unknown markup is asked for anew once, in plain words", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => complete(unknown);
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals([client.sent(), await client.outbox()], [[], [["pending", "model_markup_unknown"]]]);
  client.model.answer = () => complete("Olá!");
  await letTimePass(client.webhooks.stack.admin, 5);
  await client.answer();
  assertEquals(client.sent(), ["Olá!"]);
  const [first = "", second = ""] = client.model.requests.map(({ json }) =>
    (json["messages"] as { content: string }[])[0]?.content
  );
  assert(
    second.startsWith(first) && /no tags and no special tokens/.test(second.slice(first.length)),
  );
  assertEquals(await readNeeds(client), []);
});

const call = { id: "1", type: "function", function: { name: "agendar", arguments: "{}" } };

for (
  const [form, message] of [
    ["as a field", { role: "assistant", content: null, tool_calls: [call] }],
    ["as text", { role: "assistant", content: '{"name": "agendar", "arguments": {}}' }],
  ] as const
) {
  Deno.test(`an answer that is a tool call alone (${form}) is asked for anew once, then a person is needed`, async () => {
    await using client = await createAgentClient();
    client.model.answer = () =>
      Response.json({ choices: [{ index: 0, finish_reason: "tool_calls", message }] });
    await client.write("IN1", "oi");
    for (let round = 0; round < 4; round++) {
      await client.answer();
      await letTimePass(client.webhooks.stack.admin, 60);
    }
    assertEquals(client.model.requests.length, 2);
    assertEquals([client.sent(), await client.outbox()], [[], [["dead", "model_called_tool"]]]);
    assertEquals(await readNeeds(client), [["model_called_tool", true, true]]);
  });
}

Deno.test("markup that is unknown twice is not sent: a person is needed, once, and the conversation waits", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => complete(unknown);
  await client.write("IN1", "oi");
  for (let round = 0; round < 3; round++) {
    await client.answer();
    await letTimePass(client.webhooks.stack.admin, 60);
  }
  assertEquals(client.model.requests.length, 2);
  assertEquals([client.sent(), await client.outbox()], [[], [["dead", "model_markup_unknown"]]]);
  assertEquals(await readNeeds(client), [["model_markup_unknown", true, true]]);
  // What the contact writes next asks the agent again.
  client.model.answer = () => complete("Olá!");
  await client.write("IN2", "oi?");
  await client.answer();
  assertEquals(client.sent(), ["Olá!"]);
});

Deno.test("whatever an agent gives up on needs a person: a filtered answer, a model that fails for good", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => Response.json({ error: { code: "content_filter" } }, { status: 400 });
  await client.write("IN1", "oi");
  await client.answer();
  client.model.answer = () => new Response("", { status: 500 });
  await client.write("IN2", "oi");
  for (let round = 0; round < 6; round++) {
    await client.answer();
    await letTimePass(client.webhooks.stack.admin, 3_600);
  }
  assertEquals(await readNeeds(client), [
    ["model_answer_filtered", true, true],
    ["model_http_500", true, true],
  ]);
});
