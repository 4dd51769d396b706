import { demoOfficialInstanceId, demoTemplateId } from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { adminOperation, recordAnswer } from "./resource_docs.ts";
import { templateSyncRecord } from "./template_sync.ts";

export const syncOperation: Operation = {
  ...adminOperation,
  method: "POST",
  path: "/instances/:id/templates/sync",
  operationId: "syncTemplates",
  summary: "Read an instance's templates from the official channel",
  description:
    "Makes the stored templates what the channel's provider says they are: name, language, components, format and status. Templates that it lists no more stay, with the status `DELETED`. The instance's configuration needs a `wabaId`. The request has no body.",
  pathParameters: {
    id: { description: "`instanceId` of the instance.", example: demoOfficialInstanceId },
  },
  isIdempotent: true,
  success: {
    description: "What changed.",
    schema: recordAnswer(templateSyncRecord),
  },
  errors: [
    "service_unavailable",
    "Instance not found",
    "template_sync_not_available",
    "provider_template_list_failed",
  ],
  fields: {
    created: "Templates that were not stored yet.",
    updated: "Templates that had changed.",
    unchanged: "Templates that were stored as they are.",
    deleted: "Templates that the provider lists no more.",
    items: "Each template and what became of it.",
    "items.change": "What became of it.",
  },
  examples: [{
    name: "one_new",
    summary: "One template is new",
    response: {
      success: true,
      instanceId: demoOfficialInstanceId,
      created: 1,
      updated: 0,
      unchanged: 0,
      deleted: 0,
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
