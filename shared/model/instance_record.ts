import * as z from "zod";
import { shownSettings } from "./instance_settings.ts";
import { instantSchema } from "./instant.ts";
import { providerKinds } from "./provider_kind.ts";
import type { AnswerOf } from "./response_fields.ts";

/** An instance as responses show it, without its credentials. */
export const instanceRecord = {
  instanceId: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  provider: z.enum(providerKinds),
  gatewayInstanceId: z.string().nullable(),
  businessInstanceId: z.string().nullable(),
  embedKey: z.string(),
  connectedPhone: z.string(),
  timeZone: z.string(),
  ...shownSettings,
  webhookPath: z.string(),
  createdAt: instantSchema,
};

export type InstanceRecord = AnswerOf<z.ZodObject<typeof instanceRecord>>;
