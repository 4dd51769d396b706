import * as z from "zod";
import { usageQuerySchema } from "../../shared/http/usage_query.ts";
import { instanceIdSchema } from "../../shared/model/request_fields.ts";
import { budgetStateSchema } from "../../shared/model/usage_record.ts";
import { successField } from "../../shared/model/response_fields.ts";

/** GET /functions/v1/messages-api/usage. */
export const usageSchema = usageQuerySchema.extend({ instanceId: instanceIdSchema.optional() });

/** GET /functions/v1/messages-api/usage/budget. */
export const budgetQuerySchema = z.object({ instanceId: instanceIdSchema.optional() });

export const budgetResponseSchema = z.object({ ...successField, ...budgetStateSchema.shape });
