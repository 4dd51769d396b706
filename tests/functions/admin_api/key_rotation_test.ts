import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import { createCredentialVault } from "../../../shared/crypto/credential_vault.ts";
import { encodeHex } from "../../../shared/crypto/encoding.ts";
import { createProviderOpener } from "../../../shared/providers/open_provider.ts";
import { assert, assertEquals, assertFalse } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { type Tenant, testCredentialsKey } from "../../support/fixtures/tenant.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { reseal } from "../../support/stack/reseal.ts";

const formerKey = testCredentialsKey;
const newKey = btoa("n".repeat(32));

Deno.test("credentials are sealed anew under a new key while messages go out before, between and after", async () => {
  await using stack = await startMessagingStack();
  const tenants = await Promise.all([1, 2, 3].map(() => stack.createTenant()));
  await sendAll(stack, tenants, formerKey);
  await sendAll(stack, tenants, `${newKey},${formerKey}`);
  const before = await readSeals(stack);
  assertEquals(await reseal(stack, `${newKey},${formerKey}`), {
    success: true,
    keyId: await idOf(newKey),
    resealed: 3,
    remaining: 0,
    unreadable: [],
  });
  const after = await readSeals(stack);
  assert(after.every((seal) => !before.includes(seal)));
  await sendAll(stack, tenants, newKey);
  assertEquals((await reseal(stack, newKey)).resealed, 0, "repeatable");
  assertEquals(stack.provider.requests.length, 9);
});

Deno.test("what no key opens is named and left as it is", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant();
  const before = await readSeals(stack);
  const report = await reseal(stack, newKey);
  assertEquals(report, {
    success: true,
    keyId: await idOf(newKey),
    resealed: 0,
    remaining: 0,
    unreadable: [instanceId],
  });
  assertEquals(await readSeals(stack), before);
});

Deno.test("a batch is bounded, and the calls together reach every instance", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant();
  await copyInstances(stack, instanceId, 449);
  const reports = [];
  for (let call = 1; call <= 3; call++) reports.push(await reseal(stack, `${newKey},${formerKey}`));
  assertEquals(reports.map(({ resealed, remaining }) => [resealed, remaining]), [
    [200, 250],
    [200, 50],
    [50, 0],
  ]);
});

Deno.test("credentials that are changed while they are sealed anew keep the change", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant();
  const [former] = await readSeals(stack);
  const changed = await createCredentialVault(newKey).seal({ changed: true }, instanceId);
  await stack.admin`update messaging.instances set sealed_provider_config = ${changed}`;
  assert(former !== undefined);
  const replaced = await stack.database.rpc("replace_sealed_credentials", {
    items: [{ instanceId, former, sealedProviderConfig: "v1.stale" }],
  });
  assertEquals([replaced, await readSeals(stack)], [{ replaced: 0 }, [changed]]);
});

Deno.test("a process that knows the former key alone reseals nothing, and says whose key it has", async () => {
  await using stack = await startMessagingStack();
  await stack.createTenant();
  const { keyId, resealed, remaining } = await reseal(stack, formerKey);
  assertEquals([keyId, resealed, remaining], [await idOf(formerKey), 0, 0]);
});

Deno.test("at each step of a rotation the processes of the step before open what is sealed", async () => {
  await using stack = await startMessagingStack();
  const tenants = [await stack.createTenant()];
  const steps = [formerKey, `${formerKey},${newKey}`, `${newKey},${formerKey}`, newKey];
  for (const [step, keys] of steps.entries()) {
    if (step === 2) await reseal(stack, keys);
    for (const known of steps.slice(Math.max(step - 1, 0), step + 1)) {
      await sendAll(stack, tenants, known);
    }
  }
});

Deno.test("the log says nothing of credentials", async () => {
  await using stack = await startMessagingStack();
  await stack.createTenant();
  await reseal(stack, `${newKey},${formerKey}`);
  const log = JSON.stringify(stack.logLines);
  for (const secret of ["zapi-secret", "v1.", newKey]) assertFalse(log.includes(secret), secret);
});

/** As docs/operations.md computes it. */
async function idOf(key: string): Promise<string> {
  const bytes = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return encodeHex(digest.subarray(0, 4));
}

async function sendAll(
  stack: MessagingStack,
  tenants: readonly Tenant[],
  keys: string,
): Promise<void> {
  const app = createSendMessageApp({
    ...stack.services,
    openProvider: createProviderOpener(createCredentialVault(keys)),
  });
  for (const { instanceId, token } of tenants) {
    const response = await callApp(app, "/send-message", {
      method: "POST",
      headers: { "X-Client-Token": token, "Content-Type": "application/json" },
      body: JSON.stringify({
        instanceId,
        phone: "5511987654321",
        messageType: "text",
        message: "Oi",
      }),
    });
    assertEquals((await response.json()).status, "sent");
  }
}

async function readSeals(stack: MessagingStack): Promise<string[]> {
  const rows = await stack.admin`
    select sealed_provider_config as seal from messaging.instances order by id`;
  return rows.map(({ seal }) => seal);
}

/** Each sealed for its own id, as they must be. */
async function copyInstances(
  stack: MessagingStack,
  instanceId: string,
  count: number,
): Promise<void> {
  const vault = createCredentialVault(formerKey);
  const copies = await Promise.all(
    Array.from({ length: count }, async () => {
      const id = crypto.randomUUID();
      return { id, seal: await vault.seal({ token: id }, id) };
    }),
  );
  await stack.admin`
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, embed_key, connected_phone,
      connected_phone_key, time_zone
    )
    select copy.id, i.workspace_id, i.name, i.provider, copy.seal, 'emb_' || copy.id,
      i.connected_phone, i.connected_phone_key, i.time_zone
    from messaging.instances i
    cross join jsonb_to_recordset(${stack.admin.json(copies)}) as copy(id uuid, seal text)
    where i.id = ${instanceId}`;
}
