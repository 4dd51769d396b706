import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
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
  record: {
    templateId: z.uuid(),
    workspaceId: z.uuid(),
    instanceId: z.uuid().nullable(),
    name: z.string(),
    language: z.string(),
    parameterFormat: z.enum(["POSITIONAL", "NAMED"]),
    components: z.array(z.looseObject({ type: z.string() })),
    category: z.string().nullable(),
    categoryChange: z.object({
      to: z.string().meta({ description: "The category that it will have." }),
      at: instantSchema.meta({ description: "When." }),
    }).nullable().meta({
      description:
        "A change of category that the official channel has announced: its messages cost by the new one. Null for none.",
    }),
    quality: z.string().nullable().meta({
      description:
        "The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells.",
    }),
    rejectedReason: z.string().nullable().meta({
      description:
        "Why the official channel has rejected or paused it, in its word; null for none.",
    }),
    disablesAt: instantSchema.nullable().meta({
      description: "When the official channel will disable it, as it announced; null for no plan.",
    }),
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
  // Both may ask the provider: see template_routes.ts.
  create: { schema: createTemplateSchema },
  update: { schema: updateTemplateSchema },
});
