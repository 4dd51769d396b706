/** A worker that dies at any step of a ladder: no message goes twice, and none that waits is lost. */

import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { ClaimedMessage } from "../../../shared/database/rpcs/queue.ts";
import { type LadderClient, startLadderClient } from "./ladder_client.ts";

const leaseSeconds = 30;

/** Claims what is due as a worker that then dies. */
async function claim(ladder: LadderClient): Promise<readonly ClaimedMessage[]> {
  const { database } = ladder.client.stack;
  return (await database.rpc("claim_due_messages", { maxMessages: 10, leaseSeconds })).messages;
}

/** The leases of dead workers end. */
async function endLeases(ladder: LadderClient): Promise<void> {
  await letTimePass(ladder.client.stack.admin, 2 * leaseSeconds);
  await ladder.client.stack.dispatch({ durationMs: 1_000 });
}

/** A message that waits for a reply, whose invitation no dispatcher has taken yet. */
async function holdDispatcher(ladder: LadderClient): Promise<void> {
  await ladder.client.stack.admin`
    update messaging.dispatch set operator_hold_until = 'infinity', operator_held_at = now()`;
}

async function releaseDispatcher(ladder: LadderClient): Promise<void> {
  await ladder.client.stack.admin`
    update messaging.dispatch set operator_hold_until = '-infinity', operator_held_at = null`;
  await ladder.client.stack.admin`
    update messaging.message_queue set visible_at = now() where lane = 'unpaced'`;
}

Deno.test("an invitation whose worker died is in doubt, sent no second time, and its answer still releases what waits", async () => {
  await using ladder = await startLadderClient();
  const templateId = await ladder.createTemplate("resposta");
  const invite = [{ invite: { templateId, variables: { 1: "x" } } }];
  await holdDispatcher(ladder);
  const sent = await ladder.send(invite);
  await releaseDispatcher(ladder);
  assertEquals((await claim(ladder)).map(({ messageId }) => messageId), [sent.body.invitationId]);
  await endLeases(ladder);
  assertEquals((await ladder.read(sent.body.invitationId)).status, "unconfirmed");
  const second = await ladder.send(invite);
  assertEquals(second.body.invitationId, sent.body.invitationId);
  await ladder.write();
  await ladder.dispatchUntil(2);
  assertEquals(ladder.calls(), ["text", "text"]);
  assertEquals((await ladder.read(sent.body.messageId)).status, "sent");
});

Deno.test("a message whose worker died before or after its rung was decided is in doubt, and never sent by itself", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("aviso");
  const rungs = [{ template: { templateId, variables: { 1: "x" } } }];
  const refusal = { code: "131047", message: "x", meaning: "outside_conversation_window" } as const;
  await ladder.knowPerson(2);
  for (const steps of [[], [null], [null, refusal]]) {
    await holdDispatcher(ladder);
    const sendAt = new Date(Date.now() + 600_000).toISOString();
    const { body: { messageId } } = await ladder.send(rungs, { sendAt });
    await letTimePass(stack.admin, 601);
    await releaseDispatcher(ladder);
    const [claimed] = await claim(ladder);
    const { instanceId, claimToken } = claimed!;
    for (const refusal of steps) {
      const request = { instanceId, messageId, claimToken, leaseSeconds, refusal };
      const taken = await stack.database.rpc("take_rung", request);
      assertEquals(taken.outcome, "send");
    }
    await endLeases(ladder);
    assertEquals((await ladder.read(messageId)).status, "unconfirmed", `${steps.length} steps`);
    const late = { instanceId, messageId, claimToken, leaseSeconds, refusal };
    assertEquals(await stack.database.rpc("take_rung", late), { outcome: "lost" });
  }
  assertEquals(ladder.calls(), []);
});

Deno.test("a worker that died after it let a message wait has lost nothing", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("resposta");
  await ladder.knowPerson(2);
  await holdDispatcher(ladder);
  const sendAt = new Date(Date.now() + 600_000).toISOString();
  const { body: { messageId } } = await ladder.send(
    [{ invite: { templateId, variables: { 1: "x" } } }],
    { sendAt },
  );
  await letTimePass(stack.admin, 601);
  await ladder.knowPerson(30);
  await releaseDispatcher(ladder);
  const [claimed] = await claim(ladder);
  const { instanceId, claimToken } = claimed!;
  const request = { instanceId, messageId, claimToken, leaseSeconds, refusal: null };
  const taken = await stack.database.rpc("take_rung", request);
  assertEquals(taken.outcome, "waits");
  await endLeases(ladder);
  assertEquals(ladder.calls(), ["template:resposta"]);
  await ladder.write();
  await stack.dispatch();
  assertEquals(ladder.calls(), ["template:resposta", "text"]);
  assertEquals((await ladder.read(messageId)).status, "sent");
});

Deno.test("a released message whose worker died lets the next one leave", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("resposta");
  const invite = [{ invite: { templateId, variables: { 1: "x" } } }];
  const first = await ladder.send(invite, { message: "um" });
  const second = await ladder.send(invite, { message: "dois" });
  await stack.dispatch();
  await ladder.write();
  assertEquals((await claim(ladder)).map(({ messageId }) => messageId), [first.body.messageId]);
  await stack.dispatch();
  assertEquals(ladder.calls(), ["template:resposta"], "the second waits for the first");
  await endLeases(ladder);
  await ladder.dispatchUntil(2);
  assertEquals((await ladder.read(first.body.messageId)).status, "unconfirmed");
  assertEquals((await ladder.read(second.body.messageId)).status, "sent");
  assertEquals(ladder.calls(), ["template:resposta", "text"]);
});
