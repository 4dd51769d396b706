/** The configuration of an instance of the official channel. */
import * as z from "zod";
import { baseUrlSchema, credentialSchema, pathSegmentSchema } from "../config_fields.ts";

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
  /** Default: v26.0 */
  apiVersion: z.string().regex(/^v\d{1,3}\.\d{1,2}$/, "must look like v23.0").optional(),
});

/** The fields whose values no error may contain. */
export const whatsappCloudSecretFields = ["accessToken", "appSecret", "verifyToken"] as const;

/** Configuration of a `whatsapp_cloud` instance; see `whatsappCloudConfigSchema`. */
export type WhatsappCloudConfig = z.infer<typeof whatsappCloudConfigSchema>;
