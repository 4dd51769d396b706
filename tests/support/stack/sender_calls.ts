/** Calls of `send-message` over HTTP, to a process that may die under them. */

import { type FunctionProcess, startFunctionProcess } from "./function_process.ts";
import type { Tenant } from "../fixtures/tenant.ts";
import { waitUntil } from "../wait_until.ts";

export interface SenderAnswer {
  readonly status: number;
  readonly isReplay: boolean;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

/** Starts `send-message` in a process of its own. */
export function startSender(databaseUrl: string): Promise<FunctionProcess> {
  const environment = { PROVIDER_TIMEOUT_MS: "2000" };
  return startFunctionProcess({ slug: "send-message", databaseUrl, environment });
}

/** Sends as the tenant, once. @returns null where no answer came. */
export async function callSender(
  sender: FunctionProcess,
  { token, instanceId }: Tenant,
  idempotencyKey: string,
  body: Readonly<Record<string, unknown>>,
): Promise<SenderAnswer | null> {
  try {
    const response = await fetch(sender.url, {
      method: "POST",
      headers: {
        "x-client-token": token,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      // Streamed, so that the runtime cannot send it again when the process is killed under it.
      body: new Blob([JSON.stringify({ instanceId, ...body })]),
    });
    const isReplay = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, isReplay, body: JSON.parse(await response.text()) };
  } catch {
    return null;
  }
}

/**
 * Sends as a caller does who wants an answer: the same again while there is none, while the service
 * is away and while the first call is in progress.
 */
export async function callUntilAnswered(
  sender: FunctionProcess,
  tenant: Tenant,
  idempotencyKey: string,
  body: Readonly<Record<string, unknown>>,
): Promise<SenderAnswer> {
  return await waitUntil(async () => {
    const answer = await callSender(sender, tenant, idempotencyKey, body);
    return answer !== null && ![409, 503].includes(answer.status) && answer;
  }, { timeoutMs: 120_000, intervalMs: 200, what: `an answer to ${idempotencyKey}` });
}
