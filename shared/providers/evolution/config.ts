/** What an instance of Evolution API v2 needs to know. */
import * as z from "zod";
import {
  baseUrlSchema,
  credentialSchema,
  pathSegmentSchema,
  webhookSecretSchema,
} from "../config_fields.ts";

export const evolutionConfigSchema = z.object({
  /** Required: Evolution is self-hosted, so there is no address to fall back to. */
  baseUrl: z.string({
    error: ({ input }) =>
      input === undefined
        ? "is required: Evolution is self-hosted, without a public address"
        : undefined,
  }).pipe(baseUrlSchema),
  instanceName: pathSegmentSchema,
  /** The server's global key or the instance's token (`apikey`). */
  apiKey: credentialSchema,
  webhookSecret: webhookSecretSchema,
});

/** The fields that no error may repeat. */
export const evolutionSecretFields = ["apiKey", "webhookSecret"] as const;

/** Configuration of an `evolution` instance; see `evolutionConfigSchema`. */
export type EvolutionConfig = z.infer<typeof evolutionConfigSchema>;
