/** What leaves later than the agent's pause would last pauses it when it leaves (decisions, section 5). */

import { assert, assertEquals } from "../../support/assert.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

async function startWithAgent(): Promise<{ stack: MessagingStack; tenant: Tenant }> {
  const stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  return { stack, tenant };
}

async function countPauses(stack: MessagingStack): Promise<number> {
  const [row] = await stack.admin`
    select count(*)::int as count from messaging.agent_pauses where paused_until > now()`;
  return row?.["count"];
}

for (
  // An hour from when the test runs, which may be long after its file was loaded.
  const [what, chooseDelivery] of Object.entries({
    "delayed by an hour": () => ({ delayMessage: 3_600 }),
    "for an instant in an hour": () => ({ sendAt: fromNow(3_600) }),
    "queued for an instant in an hour": () => ({ sendAt: fromNow(3_600), queued: true }),
  })
) {
  Deno.test(`a message ${what} leaves the agent speaking, and pauses it when it leaves`, async () => {
    const { stack, tenant } = await startWithAgent();
    await using _ = stack;
    const delivery = chooseDelivery();
    for (const phone of [text.phone, "5511987650000", text.phone]) {
      const { status, body } = await stack.send(tenant, { ...text, phone, ...delivery });
      assertEquals([status, body.aiAgentPausedUntil], [200, null], "a known and a new contact");
    }
    assertEquals(await countPauses(stack), 0);
    await letTimePass(stack.admin, 3_700);
    // What is queued for an instant is enqueued first.
    for (let runs = 0; runs < 2; runs++) await stack.dispatch();
    assert(stack.provider.requests.length >= 1);
    assert(await countPauses(stack) >= 1);
  });
}

Deno.test("a message behind a queue of more than half an hour leaves the agent speaking", async () => {
  const { stack, tenant } = await startWithAgent();
  await using _ = stack;
  const paced = { ...text, queued: true, intervalSeconds: 3_600 };
  const others = { ...paced, phone: "5511987650000" };
  for (let number = 0; number < 2; number++) await stack.send(tenant, others);
  assertEquals(await countPauses(stack), 1);
  const { body } = await stack.send(tenant, paced);
  assertEquals([body.heldBy, body.aiAgentPausedUntil], ["interval", null]);
  assertEquals(await countPauses(stack), 1);
});

Deno.test("a message that is scheduled for later says how long the agent is paused already", async () => {
  const { stack, tenant } = await startWithAgent();
  await using _ = stack;
  const now = await stack.send(tenant, text);
  const later = await stack.send(tenant, { ...text, delayMessage: 3_600 });
  assertEquals(later.body.aiAgentPausedUntil, now.body.aiAgentPausedUntil);
});

Deno.test("pauseAgent false pauses nothing, neither when the call is accepted nor when the message leaves", async () => {
  const { stack, tenant } = await startWithAgent();
  await using _ = stack;
  for (const delivery of [{}, { delayMessage: 60 }, { queued: true }]) {
    const { status, body } = await stack.send(tenant, { ...text, ...delivery, pauseAgent: false });
    assertEquals([status, body.aiAgentPausedUntil], [200, null]);
  }
  await letTimePass(stack.admin, 120);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 3);
  assertEquals(await countPauses(stack), 0);
  const { body } = await stack.send(tenant, { ...text, pauseAgent: true });
  assert(body.aiAgentPausedUntil !== null);
});

Deno.test("an agent's message that its caller has delayed leaves, though a person has written meanwhile", async () => {
  const { stack: started, tenant } = await startWithAgent();
  await using stack = started;
  await stack.send(tenant, { ...text, sentBy: "ai_agent", delayMessage: 60 });
  await stack.send(tenant, text);
  assertEquals(await countPauses(stack), 1);
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 2);
});

function fromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}
