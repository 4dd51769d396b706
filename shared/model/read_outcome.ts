import * as z from "zod";
import { messageErrorSchema } from "./message_error.ts";
import type { AnswerOf } from "./response_fields.ts";

/** What became of marking a message as read. */
export const readOutcomeFields = {
  messageId: z.string(),
  channel: z.enum(["read", "not_supported", "refused", "unknown"]),
  /** `requested`: the channel answers when it has shown it. Null where it was not asked for. */
  typing: z.enum(["shown", "requested", "not_supported", "refused", "unknown"]).nullable(),
  details: messageErrorSchema.optional(),
};

export type ReadOutcome = AnswerOf<z.ZodObject<typeof readOutcomeFields>>;
