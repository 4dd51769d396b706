import * as z from "zod";
import { formSchema } from "../../../shared/model/bounded_fields.ts";
import { usageQuerySchema } from "../../../shared/http/usage_query.ts";
import { usageComparisonFields } from "../../../shared/model/usage_record.ts";
import { recordAnswer } from "./answers.ts";

/** GET admin-api/instances/:id/usage: the instance is the path's. */
export const instanceUsageSchema = usageQuerySchema;

/** GET admin-api/instances/:id/usage/provider. */
export const providerUsageSchema = z.object({
  month: formSchema(/^20\d\d-(?:0[1-9]|1[0-2])$/, 7, "must be a month, YYYY-MM"),
});

export const providerUsageResponseSchema = recordAnswer({
  instanceId: z.uuid(),
  month: z.string(),
  ...usageComparisonFields,
});
