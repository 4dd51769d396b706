import * as z from "zod";
import {
  demoInstanceId,
  demoOperatorEmail,
  demoTemplateId,
  demoWorkspaceId,
} from "../../shared/openapi/demo_fixtures.ts";
import { registry } from "../../shared/providers/registry.ts";
import {
  agentPageSchema,
  createAgentSchema,
  createDepartmentSchema,
  createOperatorSchema,
  createWorkspaceSchema,
  pageSchema,
  updateAgentSchema,
  updateDepartmentSchema,
  updateOperatorSchema,
  workspacePageSchema,
} from "./contract.ts";
import { createInstanceSchema, updateInstanceSchema } from "./instance_contract.ts";
import * as examples from "./record_examples.ts";
import type { RecordDescription } from "./record_docs.ts";
import * as schemas from "./record_schemas.ts";
import {
  createTemplateSchema,
  templatePageSchema,
  updateTemplateSchema,
} from "./template_contract.ts";

/** `providerConfig` by `provider`. */
const [firstForm, ...otherForms] = registry.providers.map(({ kind, config }) =>
  createInstanceSchema.extend({ provider: z.literal(kind), providerConfig: config.schema })
);
if (firstForm === undefined) throw new Error("no provider is registered");
const createInstanceForms = z.discriminatedUnion("provider", [firstForm, ...otherForms]);

/** A change does not name its provider, so it may have any provider's form. */
const updateInstanceForms = z.union(
  registry.providers.map(({ kind, config }) =>
    updateInstanceSchema.extend({ providerConfig: config.schema.optional() }).meta({ title: kind })
  ),
);

/** The fields of every provider's `providerConfig`, one line each. */
const configFields = (await Promise.all(
  registry.providers.map(async (provider) =>
    `- \`${provider.kind}\`: ${(await provider.loadDocs()).configFields}\n`
  ),
)).join("");

/** The fields that hold a provider's own id of the instance. */
const idFields = new Intl.ListFormat("en", { type: "disjunction" })
  .format(registry.providers.map(({ config }) => `\`${config.idField}\``))
  .replace(", or ", " or ");

const changesOnly = "Only what is sent changes.";

/** Who owns what, and what each record is for. */
export const recordDescriptions: readonly RecordDescription[] = [
  {
    path: "/workspaces",
    name: "Workspace",
    singular: "a workspace",
    plural: "workspaces",
    idName: "workspaceId",
    notFound: "workspace_not_found",
    fields: schemas.workspaceFields,
    example: examples.workspaceExample,
    list: { query: pageSchema, errors: [] },
    create: {
      description: "A workspace owns instances, operators, departments, templates and agents.",
      body: createWorkspaceSchema,
      errors: [],
      request: { name: "Demo" },
    },
  },
  {
    path: "/instances",
    name: "Instance",
    singular: "an instance",
    plural: "instances",
    idName: "instanceId",
    notFound: "Instance not found",
    fields: schemas.instanceFields,
    example: examples.instanceExample,
    list: { query: workspacePageSchema, errors: ["workspace_not_found"] },
    create: {
      description:
        "An instance is the connection to one channel. `providerConfig` holds what its provider needs, is encrypted at rest and never comes back:\n\n" +
        `${configFields}\n` +
        "A `webhookSecret` has at least 24 characters, `appSecret` and `verifyToken` at least 8.\n\n" +
        `No two instances share a \`businessInstanceId\`, and no two of one provider ${idFields}. Several numbers of one Meta app share everything else.`,
      body: createInstanceSchema,
      documentedBody: createInstanceForms,
      errors: ["workspace_not_found", "already_exists"],
      request: {
        workspaceId: demoWorkspaceId,
        name: "Loja",
        provider: "zapi",
        providerConfig: {
          gatewayInstanceId: "3DF1A2B4C5",
          token: "the-instance-token",
          webhookSecret: "a-secret-for-the-webhook-address",
        },
        connectedPhone: "5511999990001",
        timeZone: "America/Sao_Paulo",
        sendWindow: { start: "08:00", end: "18:00", holidays: ["2026-12-25"] },
      },
      changed: {
        name: "Loja",
        businessInstanceId: null,
        connectedPhone: "5511999990001",
        sendWindow: {
          start: "08:00",
          end: "18:00",
          days: [1, 2, 3, 4, 5],
          holidays: ["2026-12-25"],
        },
      },
    },
    update: {
      description:
        `${changesOnly} The provider itself stays; \`providerConfig\` is replaced whole.`,
      body: updateInstanceSchema,
      documentedBody: updateInstanceForms,
      errors: ["already_exists"],
      request: { timeZone: "America/Manaus", sendWindow: { end: "18:00" } },
      changed: {
        timeZone: "America/Manaus",
        sendWindow: {
          start: "08:00",
          end: "18:00",
          days: [1, 2, 3, 4, 5],
          holidays: ["2026-12-25"],
        },
      },
    },
  },
  {
    path: "/operators",
    name: "Operator",
    singular: "an operator",
    plural: "operators",
    idName: "operatorId",
    notFound: "operator_not_found",
    fields: schemas.operatorFields,
    example: examples.operatorExample,
    list: { query: workspacePageSchema, errors: ["workspace_not_found"] },
    create: {
      description:
        "An operator is a person to whom conversations are assigned. No two of a workspace share an e-mail address.",
      body: createOperatorSchema,
      errors: ["workspace_not_found", "already_exists"],
      request: { workspaceId: demoWorkspaceId, name: "Carla", email: "carla@example.com" },
      changed: { name: "Carla", email: "carla@example.com" },
    },
    update: {
      description: changesOnly,
      body: updateOperatorSchema,
      errors: ["already_exists"],
      request: { name: "Ana Souza" },
      changed: { name: "Ana Souza", email: demoOperatorEmail },
    },
  },
  {
    path: "/departments",
    name: "Department",
    singular: "a department",
    plural: "departments",
    idName: "departmentId",
    notFound: "department_not_found",
    fields: schemas.departmentFields,
    example: examples.departmentExample,
    list: { query: workspacePageSchema, errors: ["workspace_not_found"] },
    create: {
      description: "A department is what a conversation can be routed to beside its operator.",
      body: createDepartmentSchema,
      errors: ["workspace_not_found"],
      request: { workspaceId: demoWorkspaceId, name: "Suporte" },
      changed: { name: "Suporte" },
    },
    update: {
      description: changesOnly,
      body: updateDepartmentSchema,
      errors: [],
      request: { name: "Vendas e trocas" },
      changed: { name: "Vendas e trocas" },
    },
  },
  {
    path: "/agents",
    name: "Agent",
    singular: "an AI agent",
    plural: "AI agents",
    idName: "agentId",
    notFound: "agent_not_found",
    fields: schemas.agentFields,
    example: examples.agentExample,
    list: { query: agentPageSchema, errors: ["Instance not found"] },
    create: {
      description:
        "An AI agent answers the contacts of an instance. Its `model` is asked at the service's chat completions endpoint.",
      body: createAgentSchema,
      errors: ["Instance not found"],
      request: {
        instanceId: demoInstanceId,
        name: "Noa",
        instructions: "Você qualifica leads. Use {{customerName}} quando souber.",
        model: "gpt-4.1-mini",
        isActive: false,
      },
      changed: {
        name: "Noa",
        instructions: "Você qualifica leads. Use {{customerName}} quando souber.",
        isActive: false,
      },
    },
    update: {
      description: changesOnly,
      body: updateAgentSchema,
      errors: [],
      request: { isActive: true },
    },
  },
  {
    path: "/templates",
    name: "Template",
    singular: "a template",
    plural: "templates",
    idName: "templateId",
    notFound: "template_not_found",
    fields: schemas.templateFields,
    example: examples.templateExample,
    list: { query: templatePageSchema, errors: ["workspace_not_found", "Instance not found"] },
    create: {
      description:
        "A template belongs to a workspace (`workspaceId`) or to one instance (`instanceId`). `components` have the official channel's shape.",
      body: createTemplateSchema,
      errors: ["workspace_not_found", "Instance not found"],
      request: {
        instanceId: demoInstanceId,
        name: "boas_vindas",
        language: "pt_BR",
        parameterFormat: "NAMED",
        components: [{ type: "BODY", text: "Oi {{nome}}, que bom ter você aqui!" }],
      },
      changed: {
        name: "boas_vindas",
        components: [{ type: "BODY", text: "Oi {{nome}}, que bom ter você aqui!" }],
        providerStatus: null,
        providerTemplateId: null,
      },
    },
    update: {
      description: changesOnly,
      body: updateTemplateSchema,
      errors: [],
      request: { providerStatus: "APPROVED", providerTemplateId: "1207842345678901" },
      changed: { templateId: demoTemplateId },
    },
  },
];
