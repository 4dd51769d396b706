/** The configuration of a Z-API instance. */
import * as z from "zod";
import {
  baseUrlSchema,
  credentialSchema,
  pathCredentialSchema,
  pathSegmentSchema,
  webhookSecretSchema,
} from "../config_fields.ts";
import type { ProviderBasis } from "../stored_config.ts";

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

/** What each role of the provider starts from. */
export const zapiBasis: ProviderBasis<"zapi", ZapiConfig> = {
  kind: "zapi",
  providerClass: "gateway",
  config: {
    schema: zapiConfigSchema,
    idField: "gatewayInstanceId",
    secretFields: zapiSecretFields,
    leastLengths: { webhookSecret: 24 },
  },
};
