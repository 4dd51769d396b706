/** A tenant with an agent, a contact who writes by webhook, and a model on this machine. */

import { type HttpDouble, startHttpDouble } from "../../support/http_double.ts";
import { createAgent, type Tenant } from "../../support/tenant.ts";
import {
  createWebhookClient,
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
  /** What each question to the model held of what the contact wrote. */
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
  const { admin } = webhooks.stack;
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
    asked: () =>
      model.requests.map(({ json }) =>
        (json["messages"] as { role: string; content: string }[])
          .filter(({ role }) => role === "user").map(({ content }) => content)
      ),
    sent: () => webhooks.stack.provider.requests.map(({ json }) => json["message"]),
    messages: () => webhooks.messages(tenant),
    outbox: async () => {
      const rows = await admin`select status, last_error from public.outbox order by created_at`;
      return rows.map((row) => [row["status"], row["last_error"]]);
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}
