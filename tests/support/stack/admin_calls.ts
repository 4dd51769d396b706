/** Calls admin-api over a stack's database, as a holder of the secret key would. */

import { callApp } from "./app_calls.ts";
import { createAdminApp } from "../../../functions/admin-api/app.ts";
import type { CredentialVault } from "../../../shared/crypto/credential_vault.ts";
import { testVault } from "../fixtures/tenant.ts";
import { type MessagingStack, secretKey } from "./messaging_stack.ts";

export interface AdminCallAnswer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
  readonly body: any;
}

export interface AdminCall {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the one that `createTenant` seals under. */
  readonly vault?: CredentialVault;
}

/** Makes one call. The path begins after the function's name. */
export async function administer(
  stack: MessagingStack,
  method: string,
  path: string,
  { body, headers = {}, vault = testVault }: AdminCall = {},
): Promise<AdminCallAnswer> {
  const app = createAdminApp({ ...stack.services, vault, secretKeys: { default: secretKey } });
  const response = await callApp(app, `/admin-api${path}`, {
    method,
    headers: { apikey: secretKey, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
