/**
 * A small tenant with something of everything, and one request of it to each SQL function that
 * TypeScript calls.
 */

import type { Sql } from "postgres";
import { callFunction } from "./database/queue_calls.ts";
import { createAgent, createOperator, createTenant, type Tenant } from "./tenant.ts";

type Json = Readonly<Record<string, unknown>>;

/** The tenant, and the ids that its requests name. */
export interface SmallTenant extends Tenant {
  readonly phone: string;
  readonly operatorId: string;
  readonly agentId: string;
  readonly departmentId: string;
  readonly templateId: string;
  readonly outboxId: string;
  readonly conversationId: string;
  readonly queued: string;
  readonly failed: string;
  readonly claimed: { readonly messageId: string; readonly claimToken: string };
}

const phone = "5511987654321";

/** Makes it: a contact with messages in every state, and one who has shown no number yet. */
export async function createSmallTenant(admin: Sql): Promise<SmallTenant> {
  const tenant = await createTenant(admin);
  const { workspaceId, instanceId } = tenant;
  const operatorId = await createOperator(admin, workspaceId, { name: "A", email: "a@b.example" });
  const agentId = await createAgent(admin, instanceId);
  const template = await callFunction<{ templateId: string }>(admin, "create_message_template", {
    ...{ instanceId, workspaceId, name: "a", language: "en", parameterFormat: "NAMED" },
    ...{ components: [], providerStatus: "APPROVED", providerTemplateId: "1" },
  });
  const department = await callFunction<{ departmentId: string }>(admin, "create_department", {
    ...{ workspaceId, name: "A" },
  });
  const accept = (delivery: Json): Promise<{ messageId: string; claimToken: string }> =>
    callFunction(admin, "accept_message", acceptRequest(instanceId, delivery));
  const settle = (claim: Json, result: Json): Promise<unknown> =>
    callFunction(admin, "settle_messages", { results: [{ ...claim, ...result }] });
  const now = { queued: false, delaySeconds: 0, leaseSeconds: 3_600 };
  await settle(await accept(now), { outcome: "accepted", providerMessageId: "sent-1" });
  await settle(await accept(now), { outcome: "unknown", error: { code: "x", message: "x" } });
  const { messageId: failed, claimToken } = await accept(now);
  await settle({ messageId: failed, claimToken }, { outcome: "rejected", error: { code: "x" } });
  const claimed = await accept(now);
  await accept({ queued: false, delaySeconds: 3_600, leaseSeconds: 30 });
  const { messageId: queued } = await accept({
    queued: true,
    intervalSeconds: 10,
    delaySeconds: 0,
  });
  await callFunction(admin, "record_provider_events", {
    ...{ instanceId, sealedProviderConfig: null, payload: "{}" },
    events: [inbound("in-1", [phone]), inbound("in-2", ["777777777777777@lid"])],
  });
  const [conversation] = await admin<{ id: string }[]>`
    select v.id from messaging.conversations v join messaging.contacts c on c.id = v.contact_id where c.phone = ${phone}`;
  const [outbox] = await admin<{ id: string }[]>`
    insert into messaging.outbox (workspace_id, kind, payload, status, settled_at)
    values (${workspaceId}, 'agent_reply', '{}', 'dead', now()) returning id`;
  return {
    ...{ ...tenant, phone, operatorId, agentId, queued, failed },
    claimed: { messageId: claimed.messageId, claimToken: claimed.claimToken },
    departmentId: department.departmentId,
    templateId: template.templateId,
    conversationId: conversation?.id ?? "",
    outboxId: outbox?.id ?? "",
  };
}

function acceptRequest(instanceId: string, delivery: Json): Json {
  return {
    ...{ instanceId, phone, idempotency: null, assignment: null, delivery },
    message: { messageType: "text", message: "Oi" },
  };
}

function inbound(providerMessageId: string, [address, ...otherAddresses]: readonly string[]): Json {
  return {
    ...{ kind: "message", origin: "inbound", providerMessageId, address, otherAddresses },
    ...{ messageType: "text", message: "Oi", isGroup: false },
  };
}

/** Requests by function; those with several plans worth looking at have several. */
export function tenantRequests(tenant: SmallTenant): Readonly<Record<string, readonly Json[]>> {
  const { workspaceId, instanceId, tokenId, operatorId, departmentId, agentId } = tenant;
  const { templateId, outboxId, conversationId } = tenant;
  const idempotency = { scope: tokenId, key: "k", fingerprint: "f" };
  const ofContact = { instanceId, phone, idempotency };
  const page = { limit: 50, after: null };
  const assignment = { assignTo: operatorId, portfolio: true, departmentId };
  const record = (...events: Json[]): Json => ({
    ...{ instanceId, sealedProviderConfig: null, payload: "{}", events },
  });
  return {
    accept_message: [
      { queued: true, intervalSeconds: 10, delaySeconds: 0 },
      { queued: false, delaySeconds: 0, leaseSeconds: 30 },
    ].map((delivery) => ({ ...acceptRequest(instanceId, delivery), assignment, idempotency })),
    authenticate_client: [{
      tokenHash: "0".repeat(64),
      functionName: "send-message",
    }],
    begin_template_sync: [{ instanceId, idempotency }],
    cancel_message: [{ instanceId, messageId: tenant.queued }],
    change_contact_tags: [{ ...ofContact, addTags: ["a"], removeTags: ["b"] }],
    claim_due_messages: [{ maxMessages: 50, leaseSeconds: 30 }],
    claim_outbox: [{ kinds: ["agent_reply"], maxRows: 10, leaseSeconds: 30 }],
    create_ai_agent: [{
      ...{ instanceId, name: "A", instructions: "i", model: "m", isActive: true, idempotency },
    }],
    create_client_token: [{
      ...{ tokenId: crypto.randomUUID(), instanceId, tokenHash: "1".repeat(64), idempotency },
    }],
    create_department: [{ workspaceId, name: "B", idempotency }],
    create_instance: [{
      ...{ instanceId: crypto.randomUUID(), workspaceId, name: "A", provider: "evolution" },
      ...{ sealedProviderConfig: "v1.k.x", gatewayInstanceId: "e", businessInstanceId: "b" },
      ...{ embedKey: "emb_new", connectedPhone: "551140001234", timeZone: "UTC", idempotency },
      ...{ onUnconfirmed: "hold", requestsPerMinute: null },
      sendWindow: { start: "08:00", end: "20:00", days: [1], holidays: ["2026-12-25"] },
    }],
    create_message_template: [{
      ...{ instanceId, workspaceId, name: "b", language: "en", parameterFormat: "NAMED" },
      ...{ components: [], providerTemplateId: "2", idempotency },
    }],
    create_operator: [{ workspaceId, name: "B", email: "b@b.example", idempotency }],
    create_workspace: [{ name: "B", idempotency }],
    expire_claims: [{ maxMessages: 500 }],
    find_template_to_send: [{ tokenId, templateId, phone, idempotency }],
    find_webhook_targets: [{
      phoneNumberIds: [tenant.gatewayInstanceId],
      providerTemplateIds: ["1"],
    }],
    find_webhook_instance: [{ provider: "zapi", instanceRef: tenant.businessInstanceId }],
    get_agent_pause: [{ instanceId, phone }],
    get_ai_agent: [{ agentId }],
    get_client_token: [{ instanceId, tokenId }],
    get_department: [{ departmentId }],
    get_instance: [{ instanceId }, { instanceId: tenant.businessInstanceId }],
    get_instance_health: [{ instanceId }],
    get_message: [{ instanceId, messageId: tenant.queued }],
    get_message_template: [{ templateId }],
    get_operator: [{ operatorId }],
    get_workspace: [{ workspaceId }],
    list_ai_agents: [{ ...page, instanceId }],
    list_client_tokens: [{ ...page, instanceId }],
    list_departments: [{ ...page, workspaceId }],
    list_instances: [{ ...page, workspaceId }, { ...page, workspaceId: null }],
    list_message_queue: [{ ...page, instanceId }, {
      ...{ instanceId, limit: 1, after: { scheduledAt: "2020-01-01T00:00:00Z", position: 1 } },
    }],
    list_message_templates: [{ ...page, workspaceId }, { ...page, instanceId }],
    list_operators: [{ ...page, workspaceId }],
    list_outbox: [
      { ...page, workspaceId, status: null },
      { ...page, workspaceId, status: "dead" },
    ],
    list_workspaces: [page],
    move_waiting_slots: [{}],
    note_conversation: [{ ...ofContact, note: "n" }],
    purge_expired: [{ maxRows: 2_000 }],
    read_agent_turn: [{ instanceId, conversationId, limit: 20 }],
    read_agent_variables: [{ instanceId, phone }],
    read_history: [{ instanceId, phone, startsAt: 0, endsAt: 9_999_999_999, limit: 100 }],
    record_provider_events: [
      record(inbound("in-3", [phone, "777777777777777@lid"])),
      record({ kind: "status", providerMessageId: "sent-1", status: "delivered" }),
      record({ kind: "status", providerMessageId: "sent-9", status: "delivered" }),
      record({ ...inbound("echo-1", [phone]), origin: "echo", mayBeOurs: true }),
      record({ kind: "template_status", providerTemplateId: "1", status: "PAUSED" }),
      record({ kind: "number_change", oldAddress: phone, newAddress: "5511987654322" }),
    ],
    replace_sealed_credentials: [{
      items: [{ instanceId, former: "x", sealedProviderConfig: "v1.k.y" }],
    }],
    retry_message: [{ instanceId, messageId: tenant.failed, idempotency }],
    retry_outbox: [{ outboxId, idempotency }],
    retry_unconfirmed: [{ maxMessages: 500 }],
    revoke_client_token: [{ instanceId, tokenId }],
    save_contact: [{ ...ofContact, fields: { name: "A", customLabels: { a: "b" } }, tags: ["a"] }],
    set_agent_pause: [{ ...ofContact, paused: true, minutes: 5 }],
    set_conversation_status: [{ ...ofContact, status: "closed", internalNote: "n" }],
    settle_messages: [
      { outcome: "accepted", providerMessageId: "sent-2", waId: "551187654321" },
      { outcome: "rejected", error: { code: "x", message: "x" }, scope: "instance" },
      { outcome: "unknown", error: { code: "x", message: "x" } },
    ].map((result) => ({ results: [{ ...tenant.claimed, ...result }] })),
    settle_outbox: [{ outboxId, claimToken: crypto.randomUUID(), outcome: "done" }],
    sync_message_templates: [{
      ...{ instanceId, idempotency, askedAt: "2099-01-01T00:00:00Z" },
      templates: [{
        ...{ providerTemplateId: "1", name: "a", language: "en", parameterFormat: "NAMED" },
        ...{ components: [], providerStatus: "APPROVED" },
      }],
    }],
    update_ai_agent: [{ agentId, changes: { name: "B" } }],
    update_department: [{ departmentId, changes: { name: "B" } }],
    update_instance: [{
      instanceId,
      changes: { businessInstanceId: "c", sendWindow: { days: [7], holidays: ["2026-12-25"] } },
    }],
    update_message_template: [{ templateId, changes: { name: "B" } }],
    update_operator: [{ operatorId, changes: { email: "c@b.example" } }],
    rescue_stalled_instances: [{ maxInstances: 500 }],
  };
}
