/** A tenant with an agent, a contact who writes by webhook, and a model on this machine. */

import { callApp } from "../../support/stack/app_calls.ts";
import type { Hono } from "hono";
import { createContactsApiApp } from "../../../functions/contacts-api/app.ts";
import { createProcessAiAgentApp } from "../../../functions/process-ai-agent/app.ts";
import { type HttpDouble, startHttpDouble } from "../../support/doubles/http_double.ts";
import { createAgent, type Tenant, testVault } from "../../support/fixtures/tenant.ts";
import {
  createWebhookClient,
  phone,
  type StoredMessage,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

export interface AgentClient extends AsyncDisposable {
  readonly webhooks: WebhookClient;
  readonly model: HttpDouble;
  readonly tenant: Tenant;
  readonly agentId: string;
  /** The contact writes a text. */
  write(messageId: string, message: string): Promise<void>;
  /** Three seconds later: what is due is answered and sent. */
  answer(): Promise<void>;
  /** POST process-ai-agent; returns the status. */
  open(body: Readonly<Record<string, unknown>>): Promise<number>;
  /** Gives the contact a name by the API; null takes it away. */
  nameContact(name: string | null, to?: string): Promise<void>;
  /** What each question to the model held of what the contact wrote, a line each. */
  asked(): readonly (readonly string[])[];
  /** The texts that the provider was given. */
  sent(): readonly unknown[];
  messages(): Promise<readonly StoredMessage[]>;
  /** `status` and `last_error` of the outbox, oldest first. */
  outbox(): Promise<readonly (readonly unknown[])[]>;
}

/** What a chat completions endpoint answers. */
export function complete(text: string): Response {
  return Response.json({
    id: "c1",
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
  });
}

/** Use `await using`: it stops the model and drops the database. */
export async function createAgentClient(): Promise<AgentClient> {
  await using cleanup = new AsyncDisposableStack();
  const webhooks = cleanup.use(await createWebhookClient());
  const model = cleanup.use(startHttpDouble(() => complete("Posso ajudar?")));
  const tenant = await webhooks.createTenant();
  const { admin, services } = webhooks.stack;
  const call = async (app: Hono, path: string, body: object): Promise<number> => {
    const response = await callApp(app, path, {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify({ instanceId: tenant.instanceId, ...body }),
    });
    await response.body?.cancel();
    return response.status;
  };
  const agentId = await createAgent(admin, tenant.instanceId);
  const keep = cleanup.move();
  return {
    webhooks,
    model,
    tenant,
    agentId,
    write: async (messageId, message) => {
      const { status } = await webhooks.receive(tenant, { messageId, text: { message } });
      if (status !== 200) throw new Error(`the webhook answered ${status}`);
    },
    answer: () => webhooks.letAgentAnswer(model),
    open: (body) =>
      call(createProcessAiAgentApp(services), "/process-ai-agent", { phone, ...body }),
    nameContact: async (name, to = phone) => {
      const app = createContactsApiApp({ ...services, vault: testVault });
      const status = await call(app, "/contacts-api/update", { phone: to, name });
      if (status !== 200) throw new Error(`contacts-api answered ${status}`);
    },
    asked: () =>
      model.requests.map(({ json }) =>
        (json["messages"] as { role: string; content: string }[])
          .filter(({ role }) => role === "user")
          .flatMap(({ content }) => content.split("\n"))
          .filter((line) => !line.startsWith("["))
      ),
    sent: () => webhooks.stack.provider.requests.map(({ json }) => json["message"]),
    messages: () => webhooks.messages(tenant),
    outbox: async () => {
      const rows = await admin`select status, last_error from messaging.outbox order by created_at`;
      return rows.map((row) => [row["status"], row["last_error"]]);
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}
