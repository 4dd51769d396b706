/** The agent answers the turns of its instance: once each, when the turn ends. */

import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createAgentClient } from "./agent_client.ts";

Deno.test("five messages in four seconds are one call of the model and one conversation.turn, told by the dispatcher", async () => {
  await using client = await createAgentClient();
  const { admin } = client.webhooks.stack;
  await admin`update messaging.instances set turns = ${
    admin.json({ quietSeconds: 20, maxSeconds: 60 })
  }`;
  const words = ["oi", "tudo bem?", "queria saber", "o preço", "da azul"];
  for (const [place, message] of words.entries()) {
    if (place > 0) await letTimePass(admin, 1);
    await client.write(`IN${place}`, message);
  }
  const readTurns = () =>
    admin<{ messages: string[] }[]>`
      select array(select m->>'message' from jsonb_array_elements(e.data->'messages') as m) as messages
      from messaging.events e where e.type = 'conversation.turn'`;
  // The clock goes three seconds further: the person is not quiet long enough.
  await client.answer();
  assertEquals(client.model.requests.length, 0);
  assertEquals((await readTurns()).length, 0);
  await letTimePass(admin, 20);
  await client.answer();
  assertEquals(client.asked(), [words]);
  assertEquals(client.sent(), ["Posso ajudar?"]);
  assertEquals((await readTurns()).map(({ messages }) => messages), [words]);
});
