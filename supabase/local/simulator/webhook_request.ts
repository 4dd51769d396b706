import * as z from "zod";
import { channelOf } from "./channels.ts";
import { channelKinds } from "./records.ts";

/** A webhook to register (see `Webhook`), with all fields that its provider requires. */
export const webhookSchema = z.object({
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  /** A local address only: the simulator calls no other machine. */
  url: z.url({ protocol: /^http$/, hostname: /^(?:127\.0\.0\.1|localhost)$/ }),
  phone: z.string().regex(/^\d{8,15}$/).optional(),
  appSecret: z.string().min(1).optional(),
  verifyToken: z.string().min(1).optional(),
}).superRefine((webhook, { addIssue }) => {
  const { name, webhook: { requiredFields } } = channelOf(webhook.provider);
  if (requiredFields.every((field) => webhook[field] !== undefined)) return;
  addIssue({ code: "custom", message: `${name} needs ${requiredFields.join(" and ")}` });
});
