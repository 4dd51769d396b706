import { createAdminApp } from "../../../functions/admin-api/app.ts";
import { createCredentialVault } from "../../../shared/crypto/credential_vault.ts";
import { assertEquals } from "../assert.ts";
import { callApp } from "./app_calls.ts";
import { type MessagingStack, secretKey } from "./messaging_stack.ts";

/** Seals anew what is stored, by a process that knows these keys: `POST admin-api/credentials/reseal`. */
// deno-lint-ignore no-explicit-any -- the report is what the tests assert on
export async function reseal({ services }: MessagingStack, keys: string): Promise<any> {
  const app = createAdminApp({
    ...services,
    vault: createCredentialVault(keys),
    secretKeys: { default: secretKey },
  });
  const response = await callApp(app, "/admin-api/credentials/reseal", {
    method: "POST",
    headers: { apikey: secretKey },
  });
  assertEquals(response.status, 200);
  return await response.json();
}
