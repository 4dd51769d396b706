import * as z from "zod";
import { serviceHealthFields } from "../../shared/model/health_record.ts";
import { successField } from "../../shared/model/response_fields.ts";

/** The answer of GET admin-api/health. */
export const serviceHealthResponseSchema = z.object({ ...successField, ...serviceHealthFields });
