import * as z from "zod";
import { recordAnswer } from "./answers.ts";
import { templateLimitSchema } from "./template_submission.ts";

const countSchema = z.int().min(0);

/** The response of POST admin-api/instances/:id/templates/sync. */
export const syncTemplatesResponseSchema = recordAnswer({
  instanceId: z.uuid(),
  created: countSchema,
  updated: countSchema,
  unchanged: countSchema,
  deleted: countSchema,
  limit: templateLimitSchema,
  items: z.array(z.object({
    templateId: z.uuid(),
    name: z.string(),
    language: z.string(),
    providerStatus: z.string(),
    providerTemplateId: z.string(),
    change: z.enum(["created", "updated", "unchanged", "deleted"]),
  })),
});
