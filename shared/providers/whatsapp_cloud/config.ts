/** The configuration of an instance of the official channel. */
import * as z from "zod";
import { formSchema } from "../../model/bounded_fields.ts";
import { baseUrlSchema, credentialSchema, pathSegmentSchema } from "../config_fields.ts";
import type { ProviderBasis } from "../stored_config.ts";

export const whatsappCloudConfigSchema = z.object({
  /** Default: https://graph.facebook.com */
  baseUrl: baseUrlSchema.optional(),
  /** Absent until the number is connected. The instance cannot send before. */
  phoneNumberId: pathSegmentSchema.optional(),
  accessToken: credentialSchema,
  /** Key of the `X-Hub-Signature-256` of webhook deliveries. */
  appSecret: credentialSchema,
  /** Answer to the webhook verification request. */
  verifyToken: credentialSchema,
  wabaId: pathSegmentSchema.optional(),
  /** The app that uploads the samples of templates' headers. Needed for nothing else. */
  appId: pathSegmentSchema.optional(),
  /** Default: v26.0 */
  apiVersion: formSchema(/^v\d{1,3}\.\d{1,2}$/, 7, "must look like v23.0").optional(),
});

/** The fields whose values no error may contain. */
export const whatsappCloudSecretFields = ["accessToken", "appSecret", "verifyToken"] as const;

/** Configuration of a `whatsapp_cloud` instance; see `whatsappCloudConfigSchema`. */
export type WhatsappCloudConfig = z.infer<typeof whatsappCloudConfigSchema>;

/** What each role of the provider starts from. */
export const whatsappCloudBasis: ProviderBasis<"whatsapp_cloud", WhatsappCloudConfig> = {
  kind: "whatsapp_cloud",
  providerClass: "official",
  config: {
    schema: whatsappCloudConfigSchema,
    idField: "phoneNumberId",
    secretFields: whatsappCloudSecretFields,
    // Meta's app secrets have 32 characters. The verify token answers a single handshake.
    leastLengths: { appSecret: 8, verifyToken: 8 },
  },
};
