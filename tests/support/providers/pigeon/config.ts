import * as z from "zod";
import { baseUrlSchema, credentialSchema } from "../../../../shared/providers/config_fields.ts";

export const pigeonConfigSchema = z.object({
  baseUrl: baseUrlSchema,
  loft: z.string().min(1),
  password: credentialSchema,
});

export type PigeonConfig = z.infer<typeof pigeonConfigSchema>;
