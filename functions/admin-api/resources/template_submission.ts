import * as z from "zod";
import { recordAnswer } from "./answers.ts";
import { templates } from "./templates.ts";

const countSchema = z.int().min(0);

/** How many templates an account has and may have, as its provider tells; null where it does not. */
export const templateLimitSchema = z.object({ used: countSchema, total: countSchema }).nullable();

/** What the response of a creation has beside the record, where it is a submission too. */
export const submissionAnswer = {
  categoryChanged: z.boolean().optional(),
  limit: templateLimitSchema.optional(),
};

/** The response of a submission: the template, and what the provider told beside it. */
export const submittedTemplateSchema = recordAnswer({
  ...templates.record,
  categoryChanged: z.boolean(),
  limit: templateLimitSchema,
});
