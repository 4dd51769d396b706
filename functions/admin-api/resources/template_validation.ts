import * as z from "zod";
import { instanceIdSchema } from "../../../shared/model/request_fields.ts";
import { recordAnswer } from "./answers.ts";

/**
 * POST admin-api/templates/validate. Members of any type: what a template lacks is an issue of the answer
 * and no refused request.
 */
export const validateTemplateSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  name: z.unknown().optional(),
  language: z.unknown().optional(),
  category: z.unknown().optional(),
  parameterFormat: z.unknown().optional(),
  components: z.unknown().optional(),
});

/** A fault, its rule, and the code of the channel's own refusal where it documents one. */
const templateIssueSchema = z.object({
  path: z.string(),
  message: z.string(),
  rule: z.string(),
  code: z.int().nullable(),
});

/** The response of POST admin-api/templates/validate. */
export const validateTemplateResponseSchema = recordAnswer({
  valid: z.boolean(),
  issues: z.array(templateIssueSchema),
});
