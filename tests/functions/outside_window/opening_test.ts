/** The agent opens a conversation whose window is closed. */

import { createProcessAiAgentApp } from "../../../functions/process-ai-agent/app.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { picture, uploadFile } from "../media_api/media_calls.ts";
import { type LadderClient, phone, startLadderClient } from "./ladder_client.ts";

type Json = Readonly<Record<string, unknown>>;

async function open(
  { client: { stack }, tenant }: LadderClient,
  outsideWindow: readonly Json[],
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
): Promise<{ status: number; body: any }> {
  const response = await callApp(createProcessAiAgentApp(stack.services), "/process-ai-agent", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({
      ...{ instanceId: tenant.instanceId, phone, initiateConversation: true },
      ...{ messageText: "Oi, aqui é a clínica.", outsideWindow },
    }),
  });
  await stack.finishBackground();
  return { status: response.status, body: await response.json() };
}

Deno.test("an agent's opening takes the ladder: a template in its place, or an invitation that it waits for", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const agentId = await createAgent(stack.admin, ladder.tenant.instanceId);
  const templateId = await ladder.createTemplate("convite");
  const variables = { 1: "{{message}}" };
  const refused = await open(ladder, [{ directSend: "utility" }]);
  assertEquals([refused.status, refused.body.error, refused.body.details?.rungs], [
    ...[409, "outside_conversation_window"],
    [{ rung: "directSend", reason: "direct_send_off" }],
  ]);
  const placed = await open(ladder, [{ template: { templateId, variables } }]);
  assertEquals([placed.status, placed.body.sentAs, placed.body.agentId], [
    ...[200, "template", agentId],
  ]);
  const invited = await open(ladder, [{ invite: { templateId, variables } }]);
  assertEquals([invited.status, invited.body.heldBy, invited.body.sentAs, invited.body.agentId], [
    ...[200, "awaiting_reply", "invitation", agentId],
  ]);
  assertEquals(ladder.calls(), ["template:convite", "template:convite"]);
  await ladder.write("Sim, quem é?");
  await ladder.dispatchUntil(3);
  assertEquals(ladder.calls().slice(2, 3), ["text"]);
  const { status, sentAs, message } = await ladder.read(invited.body.messageId);
  assertEquals([status, sentAs, message], ["sent", "message", "Oi, aqui é a clínica."]);
});

Deno.test("an opening that waits for an answer leaves with it, although a person writes in the agent's place", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  await createAgent(stack.admin, ladder.tenant.instanceId);
  const templateId = await ladder.createTemplate("convite");
  const { body } = await ladder.send([{ template: { templateId, variables: { 1: "Oi" } } }]);
  assert(body.aiAgentPausedUntil !== null, JSON.stringify(body));
  const invited = await open(ladder, [{ invite: { templateId, variables: { 1: "Oi" } } }]);
  assertEquals(invited.body.heldBy, "awaiting_reply");
  await ladder.write("Sim, quem é?");
  await ladder.dispatchUntil(3);
  const { status, lastError } = await ladder.read(invited.body.messageId);
  assertEquals([status, lastError], ["sent", null]);
});

Deno.test("an agent's opening hands the file of its ladder's header to the channel", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  await createAgent(stack.admin, ladder.tenant.instanceId);
  stack.provider.answer = (request) =>
    request.path.endsWith("/media") ? Response.json({ id: "4711" }) : acceptMessage(request);
  const templateId = await ladder.createTemplate("com_foto");
  await stack.admin`
    update messaging.message_templates
    set components = '[{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Veja"}]'
    where id = ${templateId}`;
  const { mediaId } = (await uploadFile(stack, ladder.tenant, picture)).body;
  const variables = { header: { mediaId } };
  const opened = await open(ladder, [{ template: { templateId, variables } }]);
  assertEquals([opened.status, opened.body.sentAs], [200, "template"]);
  const sent = stack.provider.requests.at(-1)?.json["template"] as { components: unknown };
  const image = { type: "image", image: { id: "4711" } };
  assertEquals(sent.components, [{ type: "header", parameters: [image] }]);
});
