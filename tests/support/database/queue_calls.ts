/** Calls the queue's SQL functions on a connection of the test's choice. */

import type { Sql } from "postgres";

/** Calls a function that takes one JSON object and returns one. */
export async function callFunction<Result>(
  sql: Sql,
  name: string,
  request: Readonly<Record<string, unknown>>,
): Promise<Result> {
  const rows = await sql.unsafe(`select public.${name}($1::text::jsonb) as result`, [
    JSON.stringify(request),
  ]);
  return rows[0]?.["result"] as Result;
}

export interface Enqueued {
  readonly messageId: string;
  readonly scheduledFor: string;
  readonly claimToken: string | null;
}

/** Accepts a queued text message. */
export function enqueueText(
  sql: Sql,
  instanceId: string,
  options: {
    intervalSeconds?: number | null;
    delaySeconds?: number;
    message?: string;
    phone?: string;
  } = {},
): Promise<Enqueued> {
  const { intervalSeconds = 30, delaySeconds = 0, message = "x", phone = "5511987654321" } =
    options;
  return callFunction(sql, "accept_message", {
    instanceId,
    phone,
    idempotency: null,
    assignment: null,
    message: { messageType: "text", message },
    delivery: { queued: true, intervalSeconds, delaySeconds, leaseSeconds: 30 },
  });
}

export interface Claimed {
  readonly messageId: string;
  readonly claimToken: string;
  readonly instanceId: string;
  readonly message: string;
}

/** Claims due messages. */
export async function claimMessages(sql: Sql, maxMessages = 100): Promise<readonly Claimed[]> {
  const { messages } = await callFunction<{ messages: Claimed[] }>(sql, "claim_due_messages", {
    maxMessages,
    leaseSeconds: 30,
  });
  return messages;
}

/** Settles a claim, as accepted by default. @returns the settled ids. */
export async function settleClaim(
  sql: Sql,
  claim: { readonly messageId: string; readonly claimToken: string },
  outcome: Readonly<Record<string, unknown>> = { outcome: "accepted", providerMessageId: "p" },
): Promise<readonly string[]> {
  const { messageId, claimToken } = claim;
  const { settled } = await callFunction<{ settled: string[] }>(sql, "settle_messages", {
    results: [{ messageId, claimToken, ...outcome }],
  });
  return settled;
}
