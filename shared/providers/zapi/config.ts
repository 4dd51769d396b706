/** What a Z-API instance needs to know. */
import * as z from "zod";
import {
  baseUrlSchema,
  credentialSchema,
  pathCredentialSchema,
  pathSegmentSchema,
  webhookSecretSchema,
} from "../config_fields.ts";

export const zapiConfigSchema = z.object({
  /** Default: https://api.z-api.io */
  baseUrl: baseUrlSchema.optional(),
  gatewayInstanceId: pathSegmentSchema,
  /** The instance's token; travels in the path. */
  token: pathCredentialSchema,
  /** The account's security token (`Client-Token`), where it is switched on. */
  clientToken: credentialSchema.optional(),
  webhookSecret: webhookSecretSchema,
});

/** The fields that no error may repeat. */
export const zapiSecretFields = ["token", "clientToken", "webhookSecret"] as const;

/** Configuration of a `zapi` instance; see `zapiConfigSchema`. */
export type ZapiConfig = z.infer<typeof zapiConfigSchema>;
