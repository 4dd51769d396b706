/** Records of the demo workspace as the examples show them. */
import {
  demoAgentId,
  demoDepartmentId,
  demoInstanceId,
  demoOperatorEmail,
  demoOperatorId,
  demoOutboxId,
  demoTemplateId,
  demoTokenId,
  demoWorkspaceId,
} from "../../shared/openapi/demo_fixtures.ts";

const createdAt = "2026-11-23T13:00:00.000+00:00";
const changedAt = { createdAt, updatedAt: createdAt };

export const workspaceExample = { workspaceId: demoWorkspaceId, name: "Demo", createdAt };

export const operatorExample = {
  operatorId: demoOperatorId,
  workspaceId: demoWorkspaceId,
  name: "Ana",
  email: demoOperatorEmail,
  createdAt,
};

export const departmentExample = {
  departmentId: demoDepartmentId,
  workspaceId: demoWorkspaceId,
  name: "Vendas",
  createdAt,
};

export const agentExample = {
  agentId: demoAgentId,
  instanceId: demoInstanceId,
  name: "Lia",
  instructions: "Você atende a loja. Responda em português, em poucas palavras.",
  model: "gpt-4.1-mini",
  isActive: true,
  ...changedAt,
};

export const templateExample = {
  templateId: demoTemplateId,
  workspaceId: demoWorkspaceId,
  instanceId: demoInstanceId,
  name: "pedido_enviado",
  language: "pt_BR",
  parameterFormat: "NAMED",
  components: [
    { type: "HEADER", format: "TEXT", text: "Seu pedido" },
    { type: "BODY", text: "Oi {{nome}}, o pedido {{pedido}} saiu para entrega." },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Falar com a loja" }] },
  ],
  providerStatus: "APPROVED",
  providerTemplateId: "1207842345678901",
  ...changedAt,
};

export const instanceExample = {
  instanceId: demoInstanceId,
  workspaceId: demoWorkspaceId,
  name: "Demo",
  provider: "zapi",
  gatewayInstanceId: "3DF1A2B4C5",
  businessInstanceId: "demo",
  embedKey: "emb_Zr3vQ1xJ8kTn5yLw2aBcDeFgHiJkLmNo",
  connectedPhone: "5511999990000",
  timeZone: "America/Sao_Paulo",
  sendWindow: { start: "08:00", end: "20:00", days: [1, 2, 3, 4, 5], holidays: ["2026-12-25"] },
  onUnconfirmed: "hold",
  requestsPerMinute: 18_000,
  webhookPath: `provider-webhook/zapi/${demoInstanceId}`,
  createdAt,
};

export const tokenExample = {
  tokenId: demoTokenId,
  instanceId: demoInstanceId,
  label: "CRM",
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  createdAt,
};

export const outboxExample = {
  outboxId: demoOutboxId,
  workspaceId: demoWorkspaceId,
  instanceId: demoInstanceId,
  kind: "assignment_email",
  status: "dead",
  attempts: 5,
  lastError: "http_500",
  runAt: createdAt,
  createdAt,
  settledAt: createdAt,
};
