import * as z from "zod";
import { demoInstanceId, demoTemplateId } from "../../shared/contract/demo_world.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { recordAnswer } from "./record_schemas.ts";

const count = z.int().min(0);

const syncFields = {
  instanceId: z.uuid(),
  created: count,
  updated: count,
  unchanged: count,
  deleted: count,
  items: z.array(z.object({
    templateId: z.uuid(),
    name: z.string(),
    language: z.string(),
    providerStatus: z.string(),
    providerTemplateId: z.string(),
    change: z.enum(["created", "updated", "unchanged", "deleted"]),
  })),
};

/** What the reading of the official channel's templates promises. */
export const templateSyncOperation: Operation = {
  tag: "Administration",
  access: "secretKey",
  method: "POST",
  path: "/instances/:id/templates/sync",
  operationId: "syncTemplates",
  summary: "Read the official channel's templates",
  description:
    "Makes the stored templates of an instance what its provider says they are: name, language, components, parameter format and status. A template that was made here without a `providerTemplateId` is linked to the provider's of the same name and language, and keeps its `templateId`. What the provider lists no more gets the status `DELETED` and stays. A list that cannot be read whole changes nothing. The request has no body.\n\n" +
    "Only for instances of the official channel whose `providerConfig` has a `wabaId`.",
  pathParameters: {
    id: { description: "`instanceId` of the instance.", example: demoInstanceId },
  },
  isIdempotent: true,
  success: {
    description: "What was changed, template by template.",
    schema: recordAnswer(syncFields),
  },
  errors: [
    "service_unavailable",
    "Instance not found",
    "template_sync_not_available",
    "provider_template_list_failed",
  ],
  failure: z.object({ details: z.object({ code: z.string(), message: z.string() }) }),
  fields: {
    created: "How many templates are new here.",
    updated: "How many have changed, linked ones included.",
    unchanged: "How many were up to date.",
    deleted: "How many the provider lists no more.",
    "items.change": "What was done to this template.",
  },
  examples: [{
    name: "approved",
    summary: "A template that has been approved meanwhile",
    response: {
      success: true,
      instanceId: demoInstanceId,
      created: 0,
      updated: 1,
      unchanged: 0,
      deleted: 0,
      items: [{
        templateId: demoTemplateId,
        name: "pedido_enviado",
        language: "pt_BR",
        providerStatus: "APPROVED",
        providerTemplateId: "1387372356726668",
        change: "updated",
      }],
    },
  }],
};
