import * as z from "zod";
import { templateFields, templateLimitSchema } from "../../../shared/model/template_record.ts";
import { recordAnswer } from "./answers.ts";

/** What the response of a creation has beside the record, where it is a submission too. */
export const submissionAnswer = {
  categoryChanged: z.boolean().optional(),
  limit: templateLimitSchema.optional(),
};

/** The response of a submission: the template, and what the provider reported with it. */
export const submittedTemplateSchema = recordAnswer({
  ...templateFields,
  categoryChanged: z.boolean(),
  limit: templateLimitSchema,
});
