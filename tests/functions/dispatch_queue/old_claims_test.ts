/** A machine that slept between its claim and the call: another worker may have the message by then. */
import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import type { Database } from "../../../shared/database/database.ts";
import { assertEquals } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const text = { phone: "5511987654321", messageType: "text", message: "oi" };

interface Sleep {
  readonly services: MessagingStack["services"];
  wake(): void;
}

/** Services of a machine that sleeps for `sleptMs` when `rpcName` has been answered. */
function sleepAfter(
  { services }: MessagingStack,
  rpcName: RpcName,
  sleptMs: number,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Sleep {
  const realNow = Date.now;
  const database: Database = {
    ...services.database,
    rpc: async (name, request) => {
      const answer = await services.database.rpc(name, request);
      if (name === rpcName) {
        await meanwhile();
        Date.now = () => realNow() + sleptMs;
      }
      return answer;
    },
  };
  return { services: { ...services, database }, wake: () => void (Date.now = realNow) };
}

Deno.test("a dispatcher that slept until its claim is nearly over sends nothing: the message waits again", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { body } = await stack.send(tenant, { ...text, delayMessage: 1 });
  await letTimePass(stack.admin, 2);
  await dispatchAsleep(sleepAfter(stack, "claim_due_messages", 16_000));
  assertEquals(stack.provider.requests.length, 0);
  const waiting = await readState(stack, tenant, body.messageId);
  assertEquals([waiting.status, waiting.lastError.code], ["queued", "claim_too_old"]);
  assertEquals(waiting.attempts, 0);
  await letTimePass(stack.admin, 10);
  await stack.dispatch();
  const sent = await readState(stack, tenant, body.messageId);
  assertEquals([sent.status, sent.attempts], ["sent", 1]);
  assertEquals(stack.provider.requests.length, 1);
});

for (const delivery of [{ delayMessage: 1 }, { queued: true, intervalSeconds: 10 }]) {
  Deno.test(`what another process took for lost is sent after all, once, where no call was made: ${Object.keys(delivery)[0]}`, async () => {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant();
    const { body } = await stack.send(tenant, { ...text, ...delivery, delayMessage: 1 });
    await letTimePass(stack.admin, 2);
    const inDoubt: unknown[] = [];
    await dispatchAsleep(sleepAfter(stack, "claim_due_messages", 60_000, async () => {
      await expireClaims(stack);
      inDoubt.push((await readState(stack, tenant, body.messageId)).status);
    }));
    assertEquals(inDoubt[0], "unconfirmed");
    const waiting = await readState(stack, tenant, body.messageId);
    assertEquals([waiting.status, waiting.lastError.code], ["queued", "claim_too_old"]);
    assertEquals(waiting.attempts, 0);
    await letTimePass(stack.admin, 30);
    await stack.dispatch();
    const sent = await readState(stack, tenant, body.messageId);
    assertEquals([sent.status, sent.attempts, sent.lastError], ["sent", 1, null]);
    assertEquals(stack.provider.requests.length, 1);
  });
}

Deno.test("what is in doubt by a later attempt, or has arrived, is not sent again on the word of an older worker", async () => {
  const laterAttempt = async (stack: MessagingStack, tenant: Tenant, id: string): Promise<void> => {
    assertEquals((await stack.messages(tenant, "POST", `/messages/${id}/retry`)).status, 200);
    await stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 30 });
    await expireClaims(stack);
  };
  const arrival = async ({ admin }: MessagingStack, _: Tenant, id: string): Promise<void> => {
    await admin`select messaging.advance_message(${id}, 'wamid.1', 'delivered', now(), null)`;
  };
  const cases = [[laterAttempt, "unconfirmed"], [arrival, "delivered"]] as const;
  for (const [happens, status] of cases) {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant();
    const { body } = await stack.send(tenant, { ...text, delayMessage: 1 });
    await letTimePass(stack.admin, 2);
    await dispatchAsleep(sleepAfter(stack, "claim_due_messages", 60_000, async () => {
      await expireClaims(stack);
      await happens(stack, tenant, body.messageId);
    }));
    assertEquals((await readState(stack, tenant, body.messageId)).status, status);
    await letTimePass(stack.admin, 30);
    await stack.dispatch();
    assertEquals(stack.provider.requests.length, 0);
  }
});

for (const isExpired of [false, true]) {
  const when = isExpired ? "and is in doubt meanwhile " : "";
  Deno.test(`an immediate send that slept ${when}is refused for now, and its key sends it`, async () => {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant();
    const key = { "Idempotency-Key": "k" };
    const expire = isExpired ? () => expireClaims(stack) : undefined;
    const slept = sleepAfter(stack, "accept_message", isExpired ? 60_000 : 16_000, expire);
    const app = createSendMessageApp(slept.services);
    try {
      const refused = await callApp(app, "/send-message", {
        method: "POST",
        headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json", ...key },
        body: JSON.stringify({ instanceId: tenant.instanceId, ...text }),
      });
      const body = await refused.json();
      assertEquals([refused.status, body.details.code, body.retryable], [
        502,
        "claim_too_old",
        true,
      ]);
    } finally {
      slept.wake();
    }
    assertEquals(stack.provider.requests.length, 0);
    const sent = await stack.send(tenant, text, key);
    assertEquals([sent.status, sent.body.status], [200, "sent"]);
    assertEquals((await readState(stack, tenant, sent.body.messageId)).attempts, 1);
    assertEquals(stack.provider.requests.length, 1);
  });
}

/** A dispatcher's run on a machine that sleeps. */
async function dispatchAsleep({ services, wake }: Sleep): Promise<void> {
  const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
  try {
    await runDispatch({ ...services, deliverAgentReply }, { durationMs: 150, maxMessages: 1 });
  } finally {
    wake();
  }
}

/** The leases end, and another process looks after them. */
async function expireClaims({ admin, database }: MessagingStack): Promise<void> {
  await letTimePass(admin, 60);
  assertEquals(await database.rpc("expire_claims", { maxMessages: 10 }), { expired: 1 });
}

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
async function readState(stack: MessagingStack, tenant: Tenant, messageId: string): Promise<any> {
  return (await stack.messages(tenant, "GET", `/messages/${messageId}`)).body;
}
