import { createProviderOpener } from "../../../shared/providers/open_provider.ts";
import { CredentialError } from "../../../shared/crypto/credential_vault.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { testVault } from "../../support/fixtures/tenant.ts";

Deno.test("a seal opens for its own instance only, even if it was opened there before", async () => {
  const openProvider = createProviderOpener(testVault);
  const [own, foreign] = [crypto.randomUUID(), crypto.randomUUID()];
  const config = { gatewayInstanceId: "g", token: "t", webhookSecret: "hook-secret-value" };
  const sealedProviderConfig = await testVault.seal(config, own);
  const open = (instanceId: string): ReturnType<typeof openProvider> =>
    openProvider({ instanceId, provider: "zapi", sealedProviderConfig });
  const opened = await open(own);
  assertEquals(await open(own) === opened, true, "unsealed once");
  const error = await assertRejects(() => open(foreign), CredentialError);
  assertEquals(error.reason, "not_authentic");
});
