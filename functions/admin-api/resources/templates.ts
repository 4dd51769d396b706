import { templateFields } from "../../../shared/model/template_record.ts";
import {
  createTemplateSchema,
  templatePageSchema,
  updateTemplateSchema,
} from "../template_contract.ts";
import { defineResource } from "./resource.ts";

export const templates = defineResource({
  path: "/templates",
  idName: "templateId",
  notFound: "template_not_found",
  record: templateFields,
  get: (database, templateId) => database.rpc("get_message_template", { templateId }),
  list: {
    schema: templatePageSchema,
    read: (database, query) => database.rpc("list_message_templates", query),
  },
  // Both may ask the provider: see template_routes.ts.
  create: { schema: createTemplateSchema },
  update: { schema: updateTemplateSchema },
});
