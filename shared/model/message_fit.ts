/** How a channel carries a message, as answers and records say it. */
import * as z from "zod";

export const renderings = ["native", "text"] as const;

/** What a call or an instance may ask for. `auto`: native where the channel shows it dependably. */
export const interactiveRenderings = ["auto", ...renderings] as const;
export type InteractiveRendering = (typeof interactiveRenderings)[number];

/** Each is left out where there is nothing to say. */
export const fitFields = {
  rendering: z.enum(renderings).meta({
    description:
      "How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).",
  }).optional(),
  reduced: z.array(z.string()).meta({
    description: "Paths of what the channel does not carry, such as `contacts.0.emails`.",
  }).optional(),
};
