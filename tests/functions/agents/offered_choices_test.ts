import { assertEquals } from "../../support/assert.ts";
import { complete, createAgentClient } from "./agent_client.ts";

const offer = JSON.stringify({
  message: "Qual plano?",
  buttons: [{ id: "ouro", title: "Ouro" }, { id: "prata", title: "Prata" }],
});

Deno.test("an agent's answer in the JSON form goes out as buttons, and the tapped or typed choice comes back to it", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  client.model.answer = () => complete(offer);
  await client.write("IN1", "quero um plano");
  await client.answer();
  assertEquals(stack.provider.requests.at(-1)?.json["buttonList"], {
    buttons: [{ id: "ouro", label: "Ouro" }, { id: "prata", label: "Prata" }],
  });
  await stack.admin`update messaging.instances set interactive_rendering = 'text'`;
  await client.write("IN2", "de novo?");
  await client.answer();
  assertEquals(client.sent().at(-1), "Qual plano?\n\n1. Ouro\n2. Prata");
  client.model.answer = () => complete("Certo!");
  await client.write("IN3", "2");
  await client.answer();
  const messages = client.model.requests.at(-1)?.json["messages"] as { content: string }[];
  assertEquals(messages.at(-1)?.content, 'Prata [option "prata"]');
});

Deno.test("malformed JSON of an agent goes out as the text that it is", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => complete(`${offer.slice(0, -1)}`);
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.sent(), [offer.slice(0, -1)]);
});
