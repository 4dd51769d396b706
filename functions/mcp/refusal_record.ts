/** What a refusal of a tool holds: the service's own sentences, and what a provider has told in quotes. */
import * as z from "zod";
import { listErrors } from "../../shared/model/errors.ts";
import { digits, fieldPath, sentMembers } from "./answer_records.ts";
import { ownSentence, ownText, ownWord } from "./own_text.ts";

/** The codes that only tools answer. */
export const toolCodes = [
  ...["recipient_not_known", "quote_marks", "no_answer", "contact_not_found"],
  ...["intent_reused", "intent_in_progress"],
];

export const refusalRecord = z.object({
  ...sentMembers,
  error: z.enum([...listErrors().map(({ code }) => code), ...toolCodes]),
  message: ownSentence(),
  docs: ownText(/^https?:\/\/\S{1,300}\/errors\.md#[\w-]{1,80}$/),
  issues: z.array(z.object({ path: fieldPath, message: ownSentence() })),
  details: z.object({
    ...{ code: digits, message: z.string(), reason: ownWord },
    rungs: z.array(z.object({ rung: ownWord, reason: ownWord })),
  }),
  missing: z.array(z.string()),
  retryable: z.boolean(),
  retryAfterSeconds: z.number(),
});
