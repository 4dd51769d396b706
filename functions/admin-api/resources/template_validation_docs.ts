import type { Operation } from "../../../shared/openapi/operation.ts";
import { demoInstanceId } from "../../../shared/openapi/demo_fixtures.ts";
import { createTemplateSchema } from "../template_contract.ts";
import { adminOperation } from "./resource_docs.ts";
import { validateTemplateResponseSchema, validateTemplateSchema } from "./template_validation.ts";

const documentedBody = createTemplateSchema.pick({
  instanceId: true,
  name: true,
  language: true,
  category: true,
  parameterFormat: true,
  components: true,
});

export const validateTemplateOperation: Operation = {
  ...adminOperation,
  method: "POST",
  path: "/templates/validate",
  operationId: "validateTemplate",
  summary: "Check a template by the official channel's rules",
  description:
    "Says what the official channel would refuse by rule, before anybody reviews the template, without asking it and without storing anything. A template with faults is no error: the answer is 200 with `valid: false`. `deno task admin templates validate <file>` checks a file in the same way.",
  body: validateTemplateSchema,
  documentedBody,
  success: {
    description: "What the channel would refuse.",
    schema: validateTemplateResponseSchema,
  },
  errors: ["service_unavailable", "Instance not found"],
  fields: {
    instanceId:
      "Instance whose account would get the template: what is known of its templates counts too.",
    valid: "Whether there are no issues.",
    issues: "Everything that the channel would refuse.",
    "issues.path": "Place in the template.",
    "issues.message": "What is wrong.",
    "issues.rule": "Name of the broken rule; docs/templates.md lists them.",
    "issues.code": "`error_subcode` of Meta's refusal; null where Meta documents none.",
  },
  examples: [{
    name: "variable_at_edge",
    summary: "A variable at the end",
    request: {
      instanceId: demoInstanceId,
      name: "pedido_enviado",
      language: "pt_BR",
      category: "UTILITY",
      parameterFormat: "POSITIONAL",
      components: [{
        type: "BODY",
        text: "Seu pedido saiu: {{1}}",
        example: { body_text: [["4711"]] },
      }],
    },
    response: {
      success: true,
      valid: false,
      issues: [{
        path: "components.0.text",
        message: "must not begin or end with a variable: add words around it",
        rule: "variable_at_edge",
        code: 2388299,
      }],
    },
  }],
};
