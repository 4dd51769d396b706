import { demoOfficialInstanceId, demoTemplateId } from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { adminOperation } from "./resource_docs.ts";
import { syncTemplatesResponseSchema } from "./template_sync.ts";

export const syncOperation: Operation = {
  ...adminOperation,
  method: "POST",
  path: "/instances/:id/templates/sync",
  operationId: "syncTemplates",
  summary: "Synchronize an instance's templates with the official channel",
  description:
    "Reads name, language, components, format and status of every template from the provider and updates the stored templates. Templates that the provider no longer lists are kept with the status `DELETED`. Templates that the channel has made itself are left out of the answer and of all lists. Requires a `wabaId` in the instance's configuration. The request has no body.",
  pathParameters: {
    id: { description: "`instanceId` of the instance.", example: demoOfficialInstanceId },
  },
  isIdempotent: true,
  success: {
    description: "Summary of the changes.",
    schema: syncTemplatesResponseSchema,
  },
  errors: [
    "service_unavailable",
    "Instance not found",
    "template_sync_not_available",
    "provider_template_list_failed",
  ],
  fields: {
    created: "Number of templates that were added.",
    updated: "Number of templates that were updated.",
    unchanged: "Number of templates without a change.",
    deleted: "Number of templates that the provider no longer lists.",
    limit:
      "How many templates the account has and may have, as the provider tells; null where it does not.",
    "limit.used": "Templates that the account has.",
    "limit.total": "Templates that it may have.",
    items: "The templates with their changes.",
    "items.change": "Change of the template.",
  },
  examples: [{
    name: "one_new",
    summary: "One new template",
    response: {
      success: true,
      instanceId: demoOfficialInstanceId,
      created: 1,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      limit: { used: 1, total: 250 },
      items: [{
        templateId: demoTemplateId,
        name: "pedido_enviado",
        language: "pt_BR",
        providerStatus: "APPROVED",
        providerTemplateId: "1207842345678901",
        change: "created",
      }],
    },
  }],
};
