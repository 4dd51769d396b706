/** The configuration of an Evolution API v2 instance. */
import * as z from "zod";
import {
  baseUrlSchema,
  credentialSchema,
  maxBaseUrlLength,
  pathSegmentSchema,
  webhookSecretSchema,
} from "../config_fields.ts";
import type { ProviderBasis } from "../stored_config.ts";

export const evolutionConfigSchema = z.object({
  /** Required: Evolution is self-hosted, so there is no default address. */
  baseUrl: z.string({
    error: ({ input }) =>
      input === undefined ? "is required, because Evolution is self-hosted" : undefined,
  }).max(maxBaseUrlLength).pipe(baseUrlSchema),
  instanceName: pathSegmentSchema,
  /** The server's global key or the instance's token (`apikey`). */
  apiKey: credentialSchema,
  webhookSecret: webhookSecretSchema,
});

/** The fields whose values no error may contain. */
export const evolutionSecretFields = ["apiKey", "webhookSecret"] as const;

/** Configuration of an `evolution` instance; see `evolutionConfigSchema`. */
export type EvolutionConfig = z.infer<typeof evolutionConfigSchema>;

/** What each role of the provider starts from. */
export const evolutionBasis: ProviderBasis<"evolution", EvolutionConfig> = {
  kind: "evolution",
  providerClass: "gateway",
  config: {
    schema: evolutionConfigSchema,
    idField: "instanceName",
    secretFields: evolutionSecretFields,
    leastLengths: { webhookSecret: 24 },
  },
};
