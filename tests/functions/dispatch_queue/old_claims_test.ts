/** A machine that slept between its claim and the call: the claim may be another worker's by then. */
import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import type { Database } from "../../../shared/database/database.ts";
import { assertEquals } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const text = { phone: "5511987654321", messageType: "text", message: "oi" };

/** Services of a machine that sleeps for `sleptMs` when `rpcName` has been answered. */
function sleepAfter(
  { services }: MessagingStack,
  rpcName: string,
  sleptMs: number,
): { readonly services: MessagingStack["services"]; wake(): void } {
  const realNow = Date.now;
  const database: Database = {
    ...services.database,
    rpc: async <Result>(name: string, request: Readonly<Record<string, unknown>>) => {
      const answer = await services.database.rpc<Result>(name, request);
      if (name === rpcName) Date.now = () => realNow() + sleptMs;
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
  const slept = sleepAfter(stack, "claim_due_messages", 16_000);
  const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
  try {
    const limits = { durationMs: 150, maxMessages: 1 };
    await runDispatch({ ...slept.services, deliverAgentReply }, limits);
  } finally {
    slept.wake();
  }
  assertEquals(stack.provider.requests.length, 0);
  const path = `/messages/${body.messageId}`;
  const waiting = (await stack.messages(tenant, "GET", path)).body;
  assertEquals([waiting.status, waiting.lastError.code], ["queued", "claim_too_old"]);
  await letTimePass(stack.admin, 10);
  await stack.dispatch();
  assertEquals((await stack.messages(tenant, "GET", path)).body.status, "sent");
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("an immediate send that slept is refused for now, and its key sends it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const key = { "Idempotency-Key": "k" };
  const slept = sleepAfter(stack, "accept_message", 16_000);
  const app = createSendMessageApp(slept.services);
  try {
    const refused = await app.request("/send-message", {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json", ...key },
      body: JSON.stringify({ instanceId: tenant.instanceId, ...text }),
    });
    const body = await refused.json();
    assertEquals([refused.status, body.details.code, body.retryable], [502, "claim_too_old", true]);
  } finally {
    slept.wake();
  }
  assertEquals(stack.provider.requests.length, 0);
  const sent = await stack.send(tenant, text, key);
  assertEquals([sent.status, sent.body.status], [200, "sent"]);
  assertEquals(stack.provider.requests.length, 1);
});
