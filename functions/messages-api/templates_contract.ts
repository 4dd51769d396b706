import * as z from "zod";
import { parameterFormats } from "../../shared/model/filled_template.ts";
import { formSchema } from "../../shared/model/bounded_fields.ts";
import { pageSchema } from "../../shared/model/page.ts";
import { instanceIdSchema, searchedTextSchema } from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";

/** GET /functions/v1/messages-api/templates (beyond the specification). Filters combine. */
export const listTemplatesSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
  q: searchedTextSchema.optional(),
  language: formSchema(/^[A-Za-z_-]{1,20}$/, 20, "must look like pt_BR").optional(),
  status: formSchema(/^[A-Z_]{1,50}$/, 50, "must look like APPROVED").optional(),
});

const sendableTemplateSchema = z.object({
  templateId: z.uuid(),
  name: z.string(),
  language: z.string(),
  category: z.string().nullable(),
  status: z.string().nullable(),
  parameterFormat: z.enum(parameterFormats),
  variables: z.array(z.string()),
  header: z.object({ format: z.string(), text: z.string().nullable() }).nullable(),
  buttons: z.array(z.object({
    type: z.string(),
    text: z.string(),
    url: z.string().nullable(),
    phoneNumber: z.string().nullable(),
  })),
});

export type SendableTemplate = z.infer<typeof sendableTemplateSchema>;

export const templatesResponseSchema = z.object({
  ...successField,
  items: z.array(sendableTemplateSchema),
  nextCursor: z.string().nullable(),
});
