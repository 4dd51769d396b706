/** What happens on the way out: the window closes between claim and call, and the agent answers. */

import { assertEquals } from "../../support/assert.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { refuseCalls, startLadderClient } from "./ladder_client.ts";

Deno.test("a window that closes between claim and call lets the dispatcher take the next rung, once", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("aviso");
  await ladder.knowPerson(2);
  stack.provider.answer = refuseCalls({ text: 131047 });
  const rungs = [{ template: { templateId, variables: { 1: "x" } } }];
  const queued = await ladder.send(rungs, { queued: true, intervalSeconds: 10 });
  await stack.dispatch();
  assertEquals(ladder.calls(), ["text", "template:aviso"]);
  const record = await ladder.read(queued.body.messageId);
  assertEquals([record.status, record.sentAs, record.attempts], ["sent", "template", 2]);
  // The queue goes on: the next message leaves an interval later.
  const next = await ladder.send(rungs, { queued: true, intervalSeconds: 10 });
  await letTimePass(stack.admin, 20);
  await stack.dispatch();
  assertEquals((await ladder.read(next.body.messageId)).sentAs, "template");
});

Deno.test("what waited leaves before the agent answers", async () => {
  await using ladder = await startLadderClient();
  const { client, tenant } = ladder;
  const { stack } = client;
  await using model = startHttpDouble(() =>
    Response.json({ choices: [{ message: { content: "Sou a Ana" } }] })
  );
  const agentId = await createAgent(stack.admin, tenant.instanceId);
  const templateId = await ladder.createTemplate("resposta");
  const invite = [{ invite: { templateId, variables: { 1: "x" } } }];
  const members = { sentBy: "ai_agent", pauseAgent: false };
  await ladder.send(invite, { ...members, message: "um" });
  await ladder.send(invite, { ...members, message: "dois" });
  await stack.dispatch();
  // The channel is slow with the first: the agent has its answer long before.
  const isAnswered = Promise.withResolvers<void>();
  const { answer } = stack.provider;
  stack.provider.answer = async (request) => {
    const { body } = (request.json["text"] ?? {}) as { readonly body?: string };
    if (body === "um") await isAnswered.promise;
    return await answer(request);
  };
  await ladder.write("quero saber");
  const answering = client.letAgentAnswer(model);
  await waitUntil(async () => {
    const rows = await stack.admin`
      select from messaging.messages where message = 'Sou a Ana' and agent_id = ${agentId}`;
    return rows.length > 0;
  }, { what: "the agent's answer" });
  isAnswered.resolve();
  await answering;
  await ladder.dispatchUntil(4);
  const texts = stack.provider.requests.flatMap(({ json }) =>
    (json["text"] as { readonly body?: string } | undefined)?.body ?? []
  );
  assertEquals(texts, ["um", "dois", "Sou a Ana"]);
});
