import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import {
  checkChangedTemplate,
  checkNewTemplate,
  createTemplateSchema,
  templatePageSchema,
  updateTemplateSchema,
} from "../template_contract.ts";
import { defineResource } from "./resource.ts";

export const templates = defineResource({
  path: "/templates",
  idName: "templateId",
  notFound: "template_not_found",
  record: {
    templateId: z.uuid(),
    workspaceId: z.uuid(),
    instanceId: z.uuid().nullable(),
    name: z.string(),
    language: z.string(),
    parameterFormat: z.enum(["POSITIONAL", "NAMED"]),
    components: z.array(z.looseObject({ type: z.string() })),
    category: z.string().nullable(),
    providerStatus: z.string().nullable(),
    providerTemplateId: z.string().nullable(),
    createdAt: instantSchema,
    updatedAt: instantSchema,
  },
  get: (database, templateId) => database.rpc("get_message_template", { templateId }),
  list: {
    schema: templatePageSchema,
    read: (database, query) => database.rpc("list_message_templates", query),
  },
  create: {
    execute: (database, request) => database.rpc("create_message_template", request),
    schema: createTemplateSchema,
    crossCheck: checkNewTemplate,
  },
  update: {
    execute: (database, templateId, changes) =>
      database.rpc("update_message_template", { templateId, changes }),
    schema: updateTemplateSchema,
    checkChange: checkChangedTemplate,
  },
});
