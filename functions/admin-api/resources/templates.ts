import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import {
  checkChangedTemplate,
  checkNewTemplate,
  createTemplateSchema,
  templatePageSchema,
  updateTemplateSchema,
} from "../template_contract.ts";
import { definePlainResource } from "./resource.ts";

export const templates = definePlainResource({
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
    providerStatus: z.string().nullable(),
    providerTemplateId: z.string().nullable(),
    createdAt: instantSchema,
    updatedAt: instantSchema,
  },
  get: { rpcName: "get_message_template" },
  list: { rpcName: "list_message_templates", schema: templatePageSchema },
  create: {
    rpcName: "create_message_template",
    schema: createTemplateSchema,
    crossCheck: checkNewTemplate,
  },
  update: {
    rpcName: "update_message_template",
    schema: updateTemplateSchema,
    checkChange: checkChangedTemplate,
  },
});
