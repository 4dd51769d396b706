/** The configuration of a WAHA session. */
import * as z from "zod";
import {
  baseUrlSchema,
  credentialSchema,
  maxBaseUrlLength,
  pathSegmentSchema,
} from "../config_fields.ts";
import type { ProviderBasis } from "../stored_config.ts";

export const wahaConfigSchema = z.object({
  /** Required: WAHA is self-hosted, so there is no default address. */
  baseUrl: z.string({
    error: ({ input }) =>
      input === undefined ? "is required, because WAHA is self-hosted" : undefined,
  }).max(maxBaseUrlLength).pipe(baseUrlSchema),
  session: pathSegmentSchema,
  /** The server's key, or one of the session's own (`X-Api-Key`). */
  apiKey: credentialSchema,
  /** The key of the session's webhook (`hmac.key`), which signs every delivery. */
  webhookKey: credentialSchema,
});

/** The fields whose values no error may contain. */
export const wahaSecretFields = ["apiKey", "webhookKey"] as const;

/** Configuration of a `waha` instance; see `wahaConfigSchema`. */
export type WahaConfig = z.infer<typeof wahaConfigSchema>;

/** What each role of the provider starts from. */
export const wahaBasis: ProviderBasis<"waha", WahaConfig> = {
  kind: "waha",
  providerClass: "gateway",
  config: {
    schema: wahaConfigSchema,
    idField: "session",
    secretFields: wahaSecretFields,
    leastLengths: { webhookKey: 24 },
  },
};
