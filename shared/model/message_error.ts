import * as z from "zod";
import type { RefusalMeaning } from "./refusal_meaning.ts";
import type { AnswerOf } from "./response_fields.ts";

/** Why an attempt failed: the provider's error or the service's own. */
export const messageErrorSchema = z.object({ code: z.string(), message: z.string() });

export type MessageError = AnswerOf<typeof messageErrorSchema>;

/** As it is recorded: SQL acts by the meaning, and never shows it. */
export interface RecordedError extends MessageError {
  readonly meaning?: RefusalMeaning | undefined;
}
