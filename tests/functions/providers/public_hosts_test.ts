/** The default addresses of the outside services: their public hosts. */
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { createEmailDelivery } from "../../../shared/outbox/email_delivery.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { listWhatsappCloudTemplates } from "../../../shared/providers/whatsapp_cloud/template_list.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { assertEquals } from "../../support/assert.ts";
import { documentedMessage as message } from "../../support/providers/facts.ts";
import { providerCases } from "./provider_cases.ts";

/**
 * Answers requests to one internet address until it is disposed of; any other address is an error.
 */
function interceptOnly(
  method: "get" | "post",
  url: string,
  answer: unknown,
): Disposable & { readonly bodies: readonly unknown[] } {
  const bodies: unknown[] = [];
  const server = setupServer(http[method](url, async ({ request }) => {
    bodies.push(method === "get" ? null : await request.json());
    return HttpResponse.json(answer as Record<string, unknown>);
  }));
  server.listen({ onUnhandledRequest: "error" });
  return { bodies, [Symbol.dispose]: () => server.close() };
}

for (const { kind, config, path, body, success, accepted } of providerCases) {
  const baseUrl = factsOf[kind].publicBaseUrl;
  // A self-hosted provider has none.
  if (baseUrl === null) continue;

  Deno.test(`${kind}: without a base URL a message goes to ${baseUrl}`, async () => {
    using host = interceptOnly("post", baseUrl + path, success.json);

    const provider = await registry.get(kind).open(config, crypto.randomUUID());
    const receipt = await provider.send(message, { timeoutMs: 30_000 });

    assertEquals(receipt, accepted);
    assertEquals(host.bodies, [body]);
  });
}

Deno.test("whatsapp_cloud: without a base URL the templates are read from graph.facebook.com", async () => {
  using _host = interceptOnly("get", "https://graph.facebook.com/v26.0/987/message_templates", {
    data: [],
  });
  const config = { accessToken: "EAAG-access", appSecret: "s", verifyToken: "v", wabaId: "987" };

  const listing = await listWhatsappCloudTemplates(config, {
    instanceId: crypto.randomUUID(),
    timeoutMs: 30_000,
    totalTimeoutMs: 30_000,
  });

  assertEquals(listing, { outcome: "listed", templates: [], limit: null });
});

Deno.test("without a base URL an e-mail goes to api.resend.com", async () => {
  using host = interceptOnly("post", "https://api.resend.com/emails", { id: "e-1" });
  const deliver = createEmailDelivery(
    { from: "Loja <loja@example.com>", resendApiKey: "re_key", resendBaseUrl: undefined },
    "https://painel.example.com",
  );

  const outcome = await deliver({
    outboxId: crypto.randomUUID(),
    claimToken: crypto.randomUUID(),
    kind: "assignment_email",
    payload: {
      operatorName: "Ana",
      operatorEmail: "ana@example.com",
      contactName: null,
      contactPhone: "5511987654321",
      instancePhone: "5511999990001",
    },
  });

  assertEquals(outcome, { outcome: "done" });
  assertEquals(host.bodies.length, 1);
});
