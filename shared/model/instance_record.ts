import * as z from "zod";
import { allowanceSchema } from "./allowance.ts";
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
  allowance: allowanceSchema.meta({
    description:
      "What the number may do, as its channel told: when its connection was read (`GET connection`), or by its webhooks.",
  }),
  historyImport: z.object({
    status: z.enum(["running", "complete", "declined"]).meta({
      description: "`declined`: the business does not share its history; `error` says so.",
    }),
    phase: z.int().min(0).nullable().meta({
      description: "The furthest phase: 0 the last day, 1 the last 90 days, 2 the last 180.",
    }),
    progress: z.int().min(0).max(100).nullable().meta({ description: "Of the whole, in percent." }),
    error: z.object({
      code: z.string().meta({ description: "The channel's code." }),
      message: z.string().meta({ description: "The channel's words." }),
    }).nullable().meta({ description: "Why nothing is imported." }),
    updatedAt: instantSchema.meta({ description: "When the channel told it last." }),
  }).nullable().meta({
    description:
      "How far the messages from before the number was connected are imported (coexistence of the official channel); null where the channel has told none.",
  }),
  webhookPath: z.string(),
  createdAt: instantSchema,
};

export type InstanceRecord = AnswerOf<z.ZodObject<typeof instanceRecord>>;
