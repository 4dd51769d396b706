/** Calls `send-message` over HTTP in a process that may be killed during the call. */

import {
  type FunctionProcess,
  type FunctionProcessOptions,
  startFunctionProcess,
} from "./function_process.ts";
import type { Tenant } from "../fixtures/tenant.ts";
import { waitUntil } from "../wait_until.ts";

export interface SenderAnswer {
  readonly status: number;
  readonly isReplay: boolean;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

/** How a sender is started. */
export interface SenderOptions extends Pick<FunctionProcessOptions, "usesDataApi"> {
  /** How long it waits for a provider. Its claims last 15 seconds longer. Default 2,000. */
  readonly providerTimeoutMs?: number;
}

/** Starts `send-message` in its own process. */
export function startSender(
  databaseUrl: string,
  { providerTimeoutMs = 2_000, ...options }: SenderOptions = {},
): Promise<FunctionProcess> {
  const environment = { PROVIDER_TIMEOUT_MS: String(providerTimeoutMs) };
  return startFunctionProcess({ slug: "send-message", databaseUrl, environment, ...options });
}

/** Sends once as the tenant. @returns null without a response. */
export async function callSender(
  sender: Pick<FunctionProcess, "url">,
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
      // A streamed body prevents the runtime from resending the request when the process is killed.
      body: new Blob([JSON.stringify({ instanceId, ...body })]),
    });
    const isReplay = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, isReplay, body: JSON.parse(await response.text()) };
  } catch {
    return null;
  }
}

/**
 * Sends as a persistent caller: repeats the request while it gets no response, while the service is
 * unavailable, and while the first call is in progress.
 */
export async function callUntilAnswered(
  sender: Pick<FunctionProcess, "url">,
  tenant: Tenant,
  idempotencyKey: string,
  body: Readonly<Record<string, unknown>>,
): Promise<SenderAnswer> {
  return await waitUntil(async () => {
    const answer = await callSender(sender, tenant, idempotencyKey, body);
    return answer !== null && ![409, 503].includes(answer.status) && answer;
  }, { timeoutMs: 120_000, intervalMs: 200, what: `an answer to ${idempotencyKey}` });
}
