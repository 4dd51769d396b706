import {
  demoInstanceId,
  demoTemplateId,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { changesOnly, exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { templates } from "./templates.ts";

export const templateDocs: ResourceDocs = {
  resource: templates,
  name: "Template",
  singular: "a template",
  plural: "templates",
  example: {
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
    category: "UTILITY",
    providerStatus: "APPROVED",
    providerTemplateId: "1207842345678901",
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  },
  listErrors: ["workspace_not_found", "Instance not found"],
  create: {
    description:
      "A template belongs to a workspace (`workspaceId`) or to one instance (`instanceId`). `components` have the official channel's shape.",
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
      category: null,
      providerStatus: null,
      providerTemplateId: null,
    },
  },
  update: {
    description: changesOnly,
    errors: [],
    request: { providerStatus: "APPROVED", providerTemplateId: "1207842345678901" },
    changed: { templateId: demoTemplateId },
  },
  commandLine: {
    description: "message templates",
    columns: ["templateId", "name", "language", "providerStatus", "instanceId"],
    example: "templates list --instance <id>",
  },
};
