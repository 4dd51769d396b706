import * as z from "zod";
import { usageQuerySchema } from "../../shared/http/usage_query.ts";
import { instanceIdSchema } from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";

/** GET /functions/v1/messages-api/usage. */
export const usageSchema = usageQuerySchema.extend({ instanceId: instanceIdSchema.optional() });

/** GET /functions/v1/messages-api/usage/budget. */
export const budgetQuerySchema = z.object({ instanceId: instanceIdSchema.optional() });

/** What is spent of a budget this month. */
export const budgetStateSchema = z.object({
  monthlyAmount: z.string().nullable(),
  currency: z.string().nullable(),
  spent: z.string(),
  underWay: z.string(),
  reached: z.boolean(),
});

export const budgetResponseSchema = z.object({ ...successField, ...budgetStateSchema.shape });
