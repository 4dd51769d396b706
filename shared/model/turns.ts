/** When a person's messages in a row are told together. */
import * as z from "zod";

const quietMeaning = "Seconds without a message after which the turn ends.";
const maxMeaning = "Seconds after its first message after which the turn ends in any case.";

/** What a request says. Null tells no turns. */
export const turnsSchema = z.object({
  quietSeconds: z.number().int().min(2).max(60).meta({ description: quietMeaning }),
  maxSeconds: z.number().int().min(5).max(300).meta({ description: maxMeaning }),
}).refine(
  ({ quietSeconds, maxSeconds }) => quietSeconds <= maxSeconds,
  { message: "must be at least quietSeconds", path: ["maxSeconds"] },
).nullable();

/** What an answer says. */
export const shownTurnsSchema = z.object({
  quietSeconds: z.int().min(2).max(60).meta({ description: quietMeaning }),
  maxSeconds: z.int().min(5).max(300).meta({ description: maxMeaning }),
}).nullable();
