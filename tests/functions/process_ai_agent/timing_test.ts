import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createAgentClient } from "../agents/agent_client.ts";

const opening = { initiateConversation: true, messageText: "Oi! Podemos conversar?" };

Deno.test("an opening leaves at its sendAt, at once or through the queue, though a person wrote meanwhile", async () => {
  for (const queued of [false, true]) {
    await using client = await createAgentClient();
    const { stack } = client.webhooks;
    assertEquals(await client.open({ ...opening, queued, sendAt: fromNow(3_600) }), 200);
    await stack.dispatch();
    assertEquals(client.sent(), []);
    // Pauses the agent, which an opening that its caller planned does not heed.
    await stack.send(client.tenant, {
      phone: "5511977776666",
      messageType: "text",
      message: "Já ligo",
    });
    await letTimePass(stack.admin, 3_600);
    for (let runs = 0; runs < 2; runs++) await stack.dispatch();
    assertEquals(client.sent(), ["Já ligo", opening.messageText]);
  }
});

Deno.test("an opening ends at its expiresAt, and its cancelKey cancels it", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  const call = { ...opening, sendAt: fromNow(7_200) };
  assertEquals(await client.open({ ...call, expiresAt: fromNow(7_300) }), 200);
  assertEquals(await client.open({ ...call, cancelKey: "opening" }), 200);
  const canceled = await stack.messages(client.tenant, "DELETE", "/messages?cancelKey=opening");
  assertEquals(canceled.body, { success: true, canceled: 1 });
  await letTimePass(stack.admin, 7_301);
  await stack.dispatch();
  const statuses = (await client.messages()).map((message) => message["status"]);
  assertEquals(statuses.sort(), ["canceled", "expired"]);
  assertEquals(await client.open({ ...opening, sendAt: fromNow(-120) }), 400);
});

Deno.test("an opening with two instants is refused, and one with a foreign delay alone is not", async () => {
  await using client = await createAgentClient();
  const sendAt = fromNow(3_600);
  assertEquals(await client.open({ ...opening, sendAt, delayMessage: 60 }), 400);
  assertEquals(await client.open({ ...opening, sendAt, delayMessage: null }), 200);
  assertEquals(await client.open({ ...opening, delayMessage: 60 }), 200);
});

function fromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}
