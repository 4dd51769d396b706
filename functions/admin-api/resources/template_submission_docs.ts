import {
  demoFormerTemplateId,
  demoOfficialInstanceId,
  demoTemplateId,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { templateAccountSchema } from "../template_contract.ts";
import { recordAnswer } from "./answers.ts";
import { adminOperation, exampleInstant } from "./resource_docs.ts";
import { submittedTemplateSchema } from "./template_submission.ts";
import { templates } from "./templates.ts";

/** What a call to the provider about a template can be refused for. */
export const submissionErrors: readonly ErrorCode[] = [
  "Instance not found",
  "media_not_found",
  "template_submission_not_available",
  "template_call_in_progress",
  "provider_template_failed",
  "template_outcome_unknown",
];

const example = {
  templateId: demoTemplateId,
  workspaceId: demoWorkspaceId,
  instanceId: demoOfficialInstanceId,
  name: "pedido_saiu",
  language: "pt_BR",
  parameterFormat: "POSITIONAL",
  components: [{ type: "BODY", text: "Seu pedido saiu para entrega." }],
  category: "UTILITY",
  categoryChange: null,
  quality: null,
  rejectedReason: null,
  disablesAt: null,
  providerStatus: "PENDING",
  providerTemplateId: "1207842345678901",
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
};

const fields = {
  instanceId: "Instance whose account the template belongs to; needed where it is the workspace's.",
  categoryChanged: "Whether the channel has given it another category than the one asked for.",
  limit:
    "How many templates the account has and may have, as the channel tells; null where it does not.",
  "limit.used": "Templates that the account has.",
  "limit.total": "Templates that it may have.",
};

const pathParameters = {
  id: { description: "`templateId` of the record.", example: demoTemplateId },
};

/** Operations on templates at the provider. */
export const templateOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "POST",
    path: "/templates/:id/submit",
    operationId: "submitTemplate",
    summary: "Submit a template to the official channel",
    description:
      "Creates the template at the official channel, once: a repeated call reads what is there, and a call whose outcome was not known is looked up before anything is repeated. What the channel refuses by rule is 400.",
    pathParameters,
    body: templateAccountSchema,
    isBodyOptional: true,
    success: {
      description: "The template as the channel has it.",
      schema: submittedTemplateSchema,
    },
    errors: [
      "service_unavailable",
      "template_not_found",
      "template_not_editable",
      ...submissionErrors,
    ],
    fields,
    examples: [{
      name: "pending",
      summary: "A template that awaits its review",
      request: {},
      response: {
        success: true,
        ...example,
        categoryChanged: false,
        limit: { used: 12, total: 250 },
      },
    }],
  },
  {
    ...adminOperation,
    method: "DELETE",
    path: "/templates/:id",
    operationId: "deleteTemplate",
    summary: "Delete a template in one language",
    description:
      "Deletes this one language at the official channel, where it is there, and marks the template as `DELETED`: it is sent no more, and its name stays taken at the channel for 30 days. A repeated call changes nothing.",
    pathParameters: {
      id: { ...pathParameters.id, example: demoFormerTemplateId },
    },
    query: templateAccountSchema,
    success: { description: "The deleted template.", schema: recordAnswer(templates.record) },
    errors: [
      "service_unavailable",
      "template_not_found",
      "template_not_editable",
      ...submissionErrors,
    ],
    fields,
    examples: [{
      name: "deleted",
      summary: "A deleted template",
      response: {
        ...{ success: true, ...example, templateId: demoFormerTemplateId },
        providerStatus: "DELETED",
      },
    }],
  },
];
