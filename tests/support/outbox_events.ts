/** What fills the outbox: assignments that promise an e-mail, inbound messages that want an answer. */

import { assertEquals } from "./assert.ts";
import { type FunctionProcess, startFunctionProcess } from "./function_process.ts";
import { callUntilAnswered, startSender } from "./sender_calls.ts";
import type { Tenant } from "./tenant.ts";

/** Of every tenant: see `createTenant`. */
const webhookSecret = "hook-secret-value";

/**
 * Assigns `count` conversations to an operator, each twice at once: with one `Idempotency-Key` that
 * is one assignment.
 */
export async function assignConversations(
  databaseUrl: string,
  tenant: Tenant,
  { operatorEmail, count }: { readonly operatorEmail: string; readonly count: number },
): Promise<void> {
  await using sender = await startSender(databaseUrl);
  await Promise.all(
    listNumbers(count).flatMap((number) => {
      const body = { phone: phoneOf("5511966", number), assignTo: operatorEmail };
      const assign = async (): Promise<void> => {
        const answer = await callUntilAnswered(sender, tenant, `assignment-${number}`, body);
        assertEquals(answer.status, 200, JSON.stringify(answer.body));
      };
      return [assign(), assign()];
    }),
  );
}

/** Lets `count` contacts write once, through the webhook; the provider tells of each twice at once. */
export async function receiveMessages(
  databaseUrl: string,
  { instanceId }: Tenant,
  { round, count }: { readonly round: number; readonly count: number },
): Promise<void> {
  await using webhook = await startFunctionProcess({ slug: "provider-webhook", databaseUrl });
  await Promise.all(
    listNumbers(count).flatMap((number) => {
      const event = { messageId: `IN-${round}-${number}`, phone: phoneOf("5511977", number) };
      const deliver = (): Promise<void> => deliverEvent(webhook, instanceId, event);
      return [deliver(), deliver()];
    }),
  );
}

async function deliverEvent(
  webhook: FunctionProcess,
  instanceId: string,
  event: { readonly messageId: string; readonly phone: string },
): Promise<void> {
  const response = await fetch(`${webhook.url}/zapi/${instanceId}/${webhookSecret}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Blob([JSON.stringify({
      type: "ReceivedCallback",
      ...event,
      fromMe: false,
      isGroup: false,
      text: { message: "Oi" },
    })]),
  });
  assertEquals(response.status, 200, await response.text());
}

function listNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

function phoneOf(prefix: string, number: number): string {
  return `${prefix}${String(number).padStart(6, "0")}`;
}
