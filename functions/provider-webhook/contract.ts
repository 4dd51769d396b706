import * as z from "zod";
import { successField } from "../../shared/model/response_fields.ts";

/** Response 200 to a delivery. */
export const receiveResponseSchema = z.object({ ...successField, recorded: z.int().min(0) });
