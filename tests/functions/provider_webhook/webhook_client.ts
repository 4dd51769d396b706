/** provider-webhook beside the sending functions: deliveries as each provider makes them. */

import { callApp } from "../../support/stack/app_calls.ts";
import type { Hono } from "hono";
import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { createMessagesContextApp } from "../../../functions/messages-context/app.ts";
import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import { createAgentReplies } from "../../../shared/agents/reply.ts";
import { createChatModel } from "../../../shared/agents/model.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import type { Database } from "../../../shared/database/database.ts";
import { foldUsage } from "../../../shared/messages/maintenance.ts";
import { showAnswering } from "../../../shared/messages/read_receipts.ts";
import { signBody } from "../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import type { HttpDouble } from "../../support/doubles/http_double.ts";
import {
  type MessagingStack,
  type StackOptions,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { type Tenant, type TenantOptions, testVault } from "../../support/fixtures/tenant.ts";
import { appSecret, contactPhone as phone, webhookSecret } from "../../support/providers/facts.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

export { appSecret, phone, webhookSecret };

type Json = Readonly<Record<string, unknown>>;

export interface Delivered {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

/** Columns of a message, as the database has them. */
export type StoredMessage = Readonly<Record<string, unknown>>;

export interface WebhookClient extends AsyncDisposable {
  readonly stack: MessagingStack;
  /** Every call of the database by provider-webhook, by name, in order. */
  readonly rpcNames: string[];
  readonly app: Hono;
  createTenant(options?: TenantOptions): Promise<Tenant>;
  /** POSTs a body to provider-webhook. */
  deliver(
    path: string,
    body: BodyInit,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Delivered>;
  /** A payload of any provider, with the right credential. */
  tell(provider: ProviderKind, tenant: Tenant, payload: unknown): Promise<Delivered>;
  /** A payload of Z-API, with the right secret. */
  zapi(tenant: Tenant, payload: Json): Promise<Delivered>;
  /** A payload of Evolution API, with the right secret. */
  evolution(tenant: Tenant, payload: Json): Promise<Delivered>;
  /** A payload of the official channel, signed. */
  cloud(tenant: Tenant, payload: unknown): Promise<Delivered>;
  /** A `ReceivedCallback` of Z-API: from the contact unless `message` says otherwise. */
  receive(tenant: Tenant, message: Json): Promise<Delivered>;
  /** All messages of the instance, in the order of their recording. */
  messages(tenant: Tenant): Promise<readonly StoredMessage[]>;
  /** messages-context over yesterday, today and tomorrow, of the contact unless `query` names another. */
  history(tenant: Tenant, query?: Readonly<Record<string, string>>): Promise<Delivered>;
  /** Counts and prices what was sent and delivered, as the dispatcher does every few seconds. */
  fold(): Promise<unknown>;
  /** Three seconds later: the agents answer, and the answers are sent. */
  letAgentAnswer(model: HttpDouble): Promise<void>;
}

/** Use `await using`: it closes the connections and drops the database. */
export async function createWebhookClient(options: StackOptions = {}): Promise<WebhookClient> {
  const stack = await startMessagingStack(options);
  const rpcNames: string[] = [];
  const database: Database = {
    rpc: (name, request) => {
      rpcNames.push(name);
      return stack.database.rpc(name, request);
    },
    close: () => stack.database.close(),
  };
  const { log } = stack.services;
  const app = createProviderWebhookApp({
    database,
    vault: testVault,
    registry: stack.services.registry,
    storage: stack.storage,
    log,
  });
  const contextApp = createMessagesContextApp({
    database: stack.database,
    links: stack.services.links,
    log,
  });

  const deliver: WebhookClient["deliver"] = async (path, body, headers = {}) => {
    const response = await callApp(app, `/provider-webhook/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    return { status: response.status, body: await response.json() };
  };
  const zapi: WebhookClient["zapi"] = ({ instanceId }, payload) =>
    deliver(`zapi/${instanceId}/${webhookSecret}`, JSON.stringify(payload));

  return {
    stack,
    rpcNames,
    app,
    deliver,
    tell: async (provider, { instanceId }, payload) => {
      const { path, body, headers } = await factsOf[provider].toRequest(instanceId, payload);
      return await deliver(path, body, headers);
    },
    zapi,
    createTenant: (options) => stack.createTenant(options),
    evolution: ({ instanceId }, payload) =>
      deliver(`evolution/${instanceId}/${webhookSecret}`, JSON.stringify(payload)),
    cloud: async ({ instanceId }, payload) => {
      const body = new TextEncoder().encode(
        typeof payload === "string" ? payload : JSON.stringify(payload),
      );
      const signature = await signBody(body, appSecret);
      return await deliver(`whatsapp_cloud/${instanceId}`, body, {
        "x-hub-signature-256": signature,
      });
    },
    receive: (tenant, message) =>
      zapi(tenant, { type: "ReceivedCallback", phone, fromMe: false, isGroup: false, ...message }),
    messages: async ({ instanceId }) =>
      await stack.admin`
        select m.*, c.phone, c.name,
          (select d.source from messaging.media d where d.id = m.media_id) as file_source
        from messaging.messages m
        join messaging.contacts c on c.id = m.contact_id
        where m.instance_id = ${instanceId} order by m.created_at, m.sent_at, m.id`,
    history: async ({ instanceId, token }, query = {}) => {
      const [start, end] = [-1, 1].map((days) =>
        new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      );
      const search = new URLSearchParams({ instanceId, start: start!, end: end!, ...query });
      if (query["contactId"] === undefined && query["phone"] === undefined) {
        search.set("phone", phone);
      }
      const response = await callApp(contextApp, `/messages-context?${search}`, {
        headers: { "X-Client-Token": token },
      });
      return { status: response.status, body: await response.json() };
    },
    fold: () => foldUsage(stack.database),
    letAgentAnswer: async (model) => {
      const askModel = createChatModel({ baseUrl: model.baseUrl, apiKey: "sk-test" });
      await letTimePass(stack.admin, 4);
      const { services } = stack;
      const deliverAgentReply = createAgentReplies(
        stack.database,
        askModel,
        services.links,
        services.openProvider,
        (target) => services.runAfterResponse(() => showAnswering(services, target)),
      );
      const limits = { durationMs: 400, maxMessages: 100 };
      // What is tried again after five seconds, which a slow machine may take, is not for this answer.
      const [clock] = await stack.admin<{ now: Date }[]>`select clock_timestamp() as now`;
      // On a busy machine a short run may end before it looks at the outbox.
      for (let runs = 0, isDue = true; isDue && runs < 20; runs++) {
        await runDispatch({ ...stack.services, deliverAgentReply }, limits);
        const due = await stack.admin`
          select from messaging.outbox
          where kind = 'agent_reply' and settled_at is null and run_at <= ${clock!.now}`;
        isDue = due.length > 0;
      }
      await stack.dispatch();
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** A webhook of the official channel with these changes, each of the field `messages`. */
export function cloudPayload(...values: readonly Json[]): Json {
  return {
    object: "whatsapp_business_account",
    entry: values.map((value) => ({
      id: "102290129340398",
      changes: [{ field: "messages", value: { messaging_product: "whatsapp", ...value } }],
    })),
  };
}

/** A text from the contact as the official channel tells it. */
export function cloudText(id: string, body: string, members: Json = {}): Json {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  return { from: phone, id, timestamp, type: "text", text: { body }, ...members };
}

/** A message of the contact as Evolution API tells it. */
export function evolutionMessage(message: Json, key: Json = {}, data: Json = {}): Json {
  return {
    event: "messages.upsert",
    data: {
      key: { remoteJid: `${phone}@s.whatsapp.net`, fromMe: false, id: "EVO1", ...key },
      pushName: "Ana",
      message,
      messageTimestamp: Math.floor(Date.now() / 1_000),
      ...data,
    },
  };
}
