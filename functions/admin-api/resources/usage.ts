import * as z from "zod";
import { formSchema } from "../../../shared/model/bounded_fields.ts";
import { usageQuerySchema } from "../../../shared/http/usage_query.ts";
import { recordAnswer } from "./answers.ts";

/** GET admin-api/instances/:id/usage: the instance is the path's. */
export const instanceUsageSchema = usageQuerySchema;

/** GET admin-api/instances/:id/usage/provider. */
export const providerUsageSchema = z.object({
  month: formSchema(/^20\d\d-(?:0[1-9]|1[0-2])$/, 7, "must be a month, YYYY-MM"),
});

const sums = {
  delivered: z.int().min(0),
  providerVolume: z.int().min(0),
  estimatedCost: z.string(),
  unknown: z.int().min(0),
  providerCost: z.string(),
};

const sumsSchema = z.array(z.object({ key: z.string().nullable(), ...sums }));

export const providerUsageResponseSchema = recordAnswer({
  instanceId: z.uuid(),
  month: z.string(),
  currency: z.string().nullable(),
  providerCurrency: z.string().nullable(),
  categories: sumsSchema,
  types: sumsSchema,
  total: z.object(sums),
  difference: z.object({
    volumePercent: z.number().min(0),
    costPercent: z.number().min(0).nullable(),
  }),
});
