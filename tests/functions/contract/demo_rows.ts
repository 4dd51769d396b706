/** The records that the examples of the document name, so that every example can be called as it stands. */

import type { Sql } from "postgres";
import { hashClientToken } from "../../../shared/crypto/client_token.ts";
import {
  demoAgentId,
  demoBatchId,
  demoConnectionLinkId,
  demoConnectionToken,
  demoContactId,
  demoConversationId,
  demoDeliveryId,
  demoEndpointId,
  demoErasureId,
  demoFailedMessageId,
  demoFormerEndpointId,
  demoFormerLinkId,
  demoFormerTemplateId,
  demoInstanceId,
  demoInstanceRef,
  demoLeavingContactId,
  demoMediaId,
  demoOutboxId,
  demoPaymentReference,
  demoPhone,
  demoQuestionId,
  demoQueuedMessageId,
  demoReceivedMessageId,
  demoSecondContactId,
  demoSentMessageId,
  demoTemplateId,
  demoTokenId,
  demoVerifyToken,
  demoWebhookSecret,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";
import { registeredDocs } from "../../../shared/providers/registered_docs.ts";
import { createWebhookSecret } from "../../../shared/crypto/webhook_secret.ts";
import { createTenant, createToken, testVault } from "../../support/fixtures/tenant.ts";

export const demoPicturePath = `${demoInstanceId}/${demoMediaId}`;

/**
 * Seeds the demo workspace and all that the examples act on; returns a token of its instance. `kinds`: those
 * of the release that serves the calls.
 */
export async function createDemoRows(
  sql: Sql,
  providerUrl: string,
  kinds: readonly ProviderKind[] = providerKinds,
): Promise<string> {
  await sql.unsafe(
    await Deno.readTextFile(new URL("../../../supabase/seed.sql", import.meta.url)),
  );
  await createInstances(sql, providerUrl, kinds);
  const { token } = await createToken(sql, demoInstanceId);
  if (kinds.includes("whatsapp_cloud")) {
    officialTokens.set(token, await createOfficialToken(sql));
  }
  await sql`
    insert into messaging.client_tokens (id, instance_id, token_hash)
    values (${demoTokenId}, ${demoInstanceId}, ${await hashClientToken("mia_to_be_revoked")})`;
  await sql`
    insert into messaging.connection_links (id, instance_id, token_hash, language, expires_at)
    values (${demoConnectionLinkId}, ${demoInstanceId}, ${await hashClientToken(
    demoConnectionToken,
  )},
      'pt', now() + interval '1 hour'),
      (${demoFormerLinkId}, ${demoInstanceId}, ${await hashClientToken("mcl_to_be_revoked")}, null,
        now() + interval '1 hour')`;
  await sql`
    insert into messaging.ai_agents (id, instance_id, name, instructions, model)
    values (${demoAgentId}, ${demoInstanceId}, 'Lia', 'Responda.', 'gpt-4.1-mini')`;
  await createTemplate(sql);
  await createMessages(sql);
  await sql`
    insert into messaging.outbox (id, workspace_id, kind, payload, status, attempts, settled_at)
    values (${demoOutboxId}, ${demoWorkspaceId}, 'assignment_email',
      ${sql.json({ instanceId: demoInstanceId })}, 'dead', 5, now())`;
  await createEndpoints(sql);
  await createBatch(sql);
  await createQuestion(sql);
  await createErasure(sql);
  await createPicture(sql);
  await createSecondContact(sql);
  return token;
}

/** The token of the official demo instance, by that of the demo's gateway: see `authorize`. */
export const officialTokens = new Map<string, string>();

/** The instance has a contact, whom the examples of calls to the official channel name. */
async function createOfficialToken(sql: Sql): Promise<string> {
  const { exampleInstanceId } = registeredDocs.whatsapp_cloud;
  await sql`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (${exampleInstanceId}, ${demoPhone}, ${demoPhone}, 'api')`;
  return (await createToken(sql, exampleInstanceId)).token;
}

/** A draft whose message needs what the examples' recipients bring. */
async function createBatch(sql: Sql): Promise<void> {
  const source = { message: { messageType: "text", message: "Oi {{nome}}: {{cupom}}" } };
  await sql`
    insert into messaging.batches (id, instance_id, source, validation, interval_seconds, seed)
    values (${demoBatchId}, ${demoInstanceId}, ${sql.json(source)}, 'strict', 30, 'demo')`;
}

/** A contact of another number of the same person. */
async function createSecondContact(sql: Sql): Promise<void> {
  await sql`
    insert into messaging.contacts (id, instance_id, phone, identity_key, origin)
    values (${demoSecondContactId}, ${demoInstanceId}, '5521988886666', '5521988886666', 'api')`;
}

/** A contact that leaves, and one that has left. */
async function createErasure(sql: Sql): Promise<void> {
  await sql`
    insert into messaging.contacts (id, instance_id, phone, identity_key, origin)
    values (${demoLeavingContactId}, ${demoInstanceId}, '5511955554444', '5511955554444', 'api')`;
  await sql`
    insert into messaging.erasures (id, instance_id, contact_id, status, done_at)
    values (${demoErasureId}, ${demoInstanceId}, ${crypto.randomUUID()}, 'done', now())`;
}

/** An upload whose file a test may put into the storage. */
async function createPicture(sql: Sql): Promise<void> {
  await sql`
    insert into messaging.media (
      id, instance_id, origin, kind, status, mime_type, size, sha256, storage_path, stored_at
    ) values (
      ${demoMediaId}, ${demoInstanceId}, 'upload', 'image', 'stored', 'image/png', 1000,
      ${"0".repeat(64)}, ${demoPicturePath}, now()
    )`;
}

/** The endpoint has a delivery, whose event is kept. */
async function createEndpoints(sql: Sql): Promise<void> {
  for (const id of [demoEndpointId, demoFormerEndpointId]) {
    const secret = await testVault.seal(createWebhookSecret(), id);
    await sql`
      insert into messaging.event_endpoints (id, instance_id, url, sealed_secret, told_through)
      values (${id}, ${demoInstanceId}, 'https://hooks.example.com/', ${secret}, 0)`;
  }
  await sql`
    select messaging.record_event(${demoInstanceId}::uuid, null, 'agent.resumed', '{}')`;
  await sql`
    insert into messaging.event_deliveries (id, endpoint_id, sequence, event_id, type, status)
    select ${demoDeliveryId}, ${demoEndpointId}, sequence, id, type, 'failed'
    from messaging.events where type = 'agent.resumed'`;
}

/** One instance of each provider: that of the demo, and those that the examples of webhooks name. */
async function createInstances(
  sql: Sql,
  baseUrl: string,
  kinds: readonly ProviderKind[],
): Promise<void> {
  for (const kind of kinds) {
    const { exampleInstanceId: instanceId } = registeredDocs[kind];
    await createTenant(sql, {
      ...{ workspaceId: demoWorkspaceId, baseUrl, provider: kind, instanceId },
      ...(instanceId === demoInstanceId ? { businessInstanceId: demoInstanceRef } : {}),
      providerConfig: {
        ...(kind === "whatsapp_cloud"
          ? { verifyToken: demoVerifyToken, wabaId: "10229" }
          : { webhookSecret: demoWebhookSecret }),
      },
    });
  }
  await sql`
    update messaging.instances set connected_phone = '5511999990000', connected_phone_key = '5511999990000'
    where id = ${demoInstanceId}`;
}

async function createTemplate(sql: Sql): Promise<void> {
  const components = [
    { type: "HEADER", format: "TEXT", text: "Seu pedido" },
    { type: "BODY", text: "Oi {{nome}}, o pedido {{pedido}} saiu para entrega." },
  ];
  for (
    const [id, name] of [[demoTemplateId, "pedido_enviado"], [demoFormerTemplateId, "pedido_saiu"]]
  ) {
    await sql`
      insert into messaging.message_templates (
        id, workspace_id, instance_id, name, language, parameter_format, components
      ) values (
        ${id ?? ""}, ${demoWorkspaceId}, ${demoInstanceId}, ${name ?? ""}, 'pt_BR', 'NAMED',
        ${sql.json(components)}
      )`;
  }
}

/** One that was sent, one that waits, one that failed, and one received. */
async function createMessages(sql: Sql): Promise<void> {
  await sql`
    insert into messaging.contacts (id, instance_id, phone, identity_key, origin, name)
    values (${demoContactId}, ${demoInstanceId}, ${demoPhone}, ${demoPhone}, 'api',
      'João Silva')`;
  await sql`
    insert into messaging.conversations (id, instance_id, contact_id)
    values (${demoConversationId}, ${demoInstanceId}, ${demoContactId})`;
  const messages = [
    {
      id: demoSentMessageId,
      direction: "outbound",
      status: "sent",
      sent_at: new Date(),
      mode: "sent",
    },
    {
      id: demoQueuedMessageId,
      direction: "outbound",
      status: "queued",
      sent_at: null,
      mode: "scheduled",
    },
    {
      id: demoFailedMessageId,
      direction: "outbound",
      status: "failed",
      sent_at: null,
      mode: "sent",
    },
    {
      id: demoReceivedMessageId,
      direction: "inbound",
      status: "received",
      sent_at: new Date(),
      mode: null,
    },
  ].map((message) => ({
    ...message,
    instance_id: demoInstanceId,
    contact_id: demoContactId,
    conversation_id: demoConversationId,
    message_type: "text",
    message: "Olá",
    provider_message_id: message.direction === "inbound" ? "wamid.RECEIVED" : null,
  }));
  await sql`insert into messaging.messages ${sql(messages)}`;
  await sql`
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
    values (${demoQueuedMessageId}, ${demoInstanceId}, 'unpaced', now() + interval '1 hour',
      now() + interval '1 hour')`;
}

/** Z-API of the session with the demo instance's phone. */
export function answerSession(path: string): Response | undefined {
  const verb = /^\/instances\/[^/]+\/token\/[^/]+\/([a-z-]+)/.exec(path)?.[1] ?? "";
  const answers: Readonly<Record<string, unknown>> = {
    "status": { connected: true, smartphoneConnected: true },
    "device": { phone: "5511999990000" },
    "qr-code": { value: "2@h7Jq0cXk,Zr3vQ1xJ8kTn5yLw2aBc,DeFgHiJkLmNo" },
    "phone-code": { code: "ABCD1234" },
    "restart": { value: true },
    "disconnect": { value: true },
    "me": { id: "DEMO", connectedCallbackUrl: null },
    "update-every-webhooks": { value: true },
  };
  return Object.hasOwn(answers, verb) ? Response.json(answers[verb]) : undefined;
}

/** An open question and a payment, in place of the messages that ask for them. */
async function createQuestion(sql: Sql): Promise<void> {
  await sql`
    insert into messaging.questions (
      id, instance_id, contact_id, message_id, accept, answer_within, status, created_at, opened_at,
      expires_at, due_at
    ) values (
      ${demoQuestionId}, ${demoInstanceId}, ${demoContactId}, ${demoSentMessageId}, 'email', '2 hours',
      'open', now(), now(), now() + interval '2 hours', now() + interval '2 hours'
    )`;
  await sql`
    insert into messaging.payments (
      message_id, instance_id, contact_id, reference, amount, created_at
    ) values (
      ${demoSentMessageId}, ${demoInstanceId}, ${demoContactId}, ${demoPaymentReference}, 129.90, now()
    )`;
}
