import { createAdminApp } from "../../../functions/admin-api/app.ts";
import { createMessagesContextApp } from "../../../functions/messages-context/app.ts";
import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { createRegistry } from "../../../shared/providers/create_registry.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { assertEquals, assertFalse } from "../../support/assert.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { pigeon } from "../../support/providers/pigeon/descriptor.ts";
import {
  type MessagingStack,
  secretKey,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";

const password = "pigeon-password";
const contact = "5511977776666";

/** The product with one more provider: a registry entry, and its kind in the database. */
async function startStack(): Promise<MessagingStack> {
  const stack = await startMessagingStack({
    registry: createRegistry([...registry.providers, pigeon]),
  });
  await stack.admin`alter table messaging.instances drop constraint instances_provider_known`;
  stack.provider.answer = () => Response.json({ ring: "RING-1" });
  return stack;
}

interface Instance {
  readonly instanceId: string;
  readonly token: string;
}

/** An instance of the added provider, created as a customer creates one. */
async function createInstance(stack: MessagingStack): Promise<Instance> {
  const app = createAdminApp({
    ...stack.services,
    vault: testVault,
    secretKeys: { default: secretKey },
  });
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await app.request(`/admin-api/${path}`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    assertEquals(response.status, 201, JSON.stringify(answer));
    return answer;
  };
  const { workspaceId } = await post("workspaces", { name: "Loft" });
  const { instanceId = "" } = await post("instances", {
    workspaceId,
    name: "Loft",
    provider: "pigeon",
    providerConfig: { baseUrl: stack.provider.baseUrl, loft: "north", password },
    connectedPhone: "5511999990000",
    timeZone: "America/Sao_Paulo",
  });
  const { token = "" } = await post(`instances/${instanceId}/tokens`, { label: "test" });
  return { instanceId, token };
}

Deno.test("a provider that only the registry lists sends a message", async () => {
  await using stack = await startStack();
  const { instanceId, token } = await createInstance(stack);

  const sent = await stack.request("/send-message", {
    method: "POST",
    headers: { "X-Client-Token": token, "content-type": "application/json" },
    body: JSON.stringify({ instanceId, phone: contact, messageType: "text", message: "Olá" }),
  });

  assertEquals([sent.status, sent.body.success], [200, true], JSON.stringify(sent.body));
  const [flight] = stack.provider.requests;
  assertEquals(stack.provider.requests.length, 1);
  assertEquals(flight?.path, "/lofts/north/flights");
  assertEquals(flight?.headers.get("x-loft-password"), password);
  assertEquals(flight?.json["to"], contact);
  assertFalse(JSON.stringify(stack.logLines).includes(password));
});

Deno.test("a provider that only the registry lists receives events at its address, by its own credential", async () => {
  await using stack = await startStack();
  const { instanceId, token } = await createInstance(stack);
  const services = { ...stack.services, vault: testVault };
  const webhookApp = createProviderWebhookApp(services);
  const deliver = async (shown: string): Promise<unknown[]> => {
    const response = await webhookApp.request(
      `/provider-webhook/pigeon/${instanceId}/arrivals`,
      {
        method: "POST",
        headers: { "x-loft-password": shown },
        body: JSON.stringify({ ring: "RING-2", from: contact, note: "Cheguei" }),
      },
    );
    const { recorded, error } = await response.json();
    return [response.status, recorded ?? error];
  };

  assertEquals(await deliver("another-password"), [401, "invalid_webhook_signature"]);
  assertEquals(await deliver(password), [200, 1]);
  assertEquals(await deliver(password), [200, 0], "the same event counts once");

  const [start = "", end = ""] = [-1, 1].map((days) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  );
  const search = new URLSearchParams({ instanceId, phone: contact, start, end });
  const history = await createMessagesContextApp(services).request(`/messages-context?${search}`, {
    headers: { "X-Client-Token": token },
  });
  const { conversation } = await history.json();
  assertEquals(conversation.map(({ content }: { content: string }) => content), ["Cheguei"]);
});

Deno.test("the database classes each provider as official channel or gateway as its descriptor does", async () => {
  await using stack = await startMessagingStack();
  for (const { kind, providerClass } of registry.providers) {
    const { instanceId } = await stack.createTenant({ provider: kind as ProviderKind });
    const [row] = await stack.admin`
      select provider_class from messaging.instances where id = ${instanceId}`;
    assertEquals(row?.["provider_class"], providerClass, kind);
  }
});
