import {
  demoInstanceId,
  demoTemplateId,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { changesOnly, exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { submissionAnswer } from "./template_submission.ts";
import { submissionErrors } from "./template_submission_docs.ts";
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
    categoryChange: { to: "MARKETING", at: exampleInstant },
    quality: "GREEN",
    rejectedReason: null,
    disablesAt: null,
    providerStatus: "APPROVED",
    providerTemplateId: "1207842345678901",
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  },
  fields: {
    submit: "Submits the template to its instance's provider.",
    categoryChanged:
      "Whether the channel has given it another category than the one asked for; of a submission.",
    limit:
      "How many templates the account has and may have, as the channel tells; of a submission.",
    "limit.used": "Templates that the account has.",
    "limit.total": "Templates that it may have.",
  },
  listErrors: ["workspace_not_found", "Instance not found"],
  create: {
    description:
      "A template belongs to a workspace (`workspaceId`) or to one instance (`instanceId`). `components` have the official channel's shape. With `submit: true` it is submitted to the instance's provider too: what the channel refuses by rule is 400 before anything is stored, and the answer has `categoryChanged` and `limit`. See docs/templates.md.",
    errors: [...submissionErrors, "workspace_not_found"],
    request: {
      instanceId: demoInstanceId,
      name: "boas_vindas",
      language: "pt_BR",
      parameterFormat: "NAMED",
      components: [{ type: "BODY", text: "Oi {{nome}}, que bom ter você aqui!" }],
    },
    answer: submissionAnswer,
    changed: {
      name: "boas_vindas",
      components: [{ type: "BODY", text: "Oi {{nome}}, que bom ter você aqui!" }],
      category: null,
      categoryChange: null,
      quality: null,
      providerStatus: null,
      providerTemplateId: null,
    },
  },
  update: {
    description:
      `${changesOnly} Where the provider has the template, \`components\`, \`category\` and \`parameterFormat\` are changed there too: an approved template once in 24 hours and ten times in 30 days, its category never. A call with \`providerStatus\` or \`providerTemplateId\` says itself what the provider has, and asks nobody.`,
    errors: [...submissionErrors, "template_not_editable", "template_edit_limit"],
    request: { providerStatus: "APPROVED", providerTemplateId: "1207842345678901" },
    changed: { templateId: demoTemplateId },
  },
  commandLine: {
    description: "message templates",
    columns: ["templateId", "name", "language", "providerStatus", "instanceId"],
    example: "templates list --instance <id>",
  },
};
