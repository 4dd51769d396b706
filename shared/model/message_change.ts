/** An edit or a deletion of a sent message that a call has asked for. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";

const text = (description: string): z.ZodString => z.string().meta({ description });

/** As a message's record shows it. */
export const messageChangeSchema = z.object({
  kind: z.enum(["edit", "delete"]).meta({ description: "What was asked for." }),
  status: z.enum(["under_way", "done", "refused", "unknown"]).meta({
    description:
      "`done`: the provider took it, or told it. `refused`: nothing was changed. `unknown`: the provider may or may not have done it; it is not asked again by itself, and its own word settles it.",
  }),
  message: z.string().nullable().meta({ description: "The words of an edit; null of a deletion." }),
  requestedAt: instantSchema,
  error: z.object({
    code: text("The provider's code, or ours."),
    message: text("The provider's words, or ours."),
  }).nullable().meta({ description: "Why it is refused or unknown; null otherwise." }),
}).meta({
  description:
    "The last edit or deletion for everyone that a call asked for; left out where none did, and in events.",
});
