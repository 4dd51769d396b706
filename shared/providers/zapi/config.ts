/** The configuration of a Z-API instance. */
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
  /** The account's security token (`Client-Token`), if that protection is on. */
  clientToken: credentialSchema.optional(),
  webhookSecret: webhookSecretSchema,
});

/** The fields whose values no error may contain. */
export const zapiSecretFields = ["token", "clientToken", "webhookSecret"] as const;

/** Configuration of a `zapi` instance; see `zapiConfigSchema`. */
export type ZapiConfig = z.infer<typeof zapiConfigSchema>;
