/** What a caller keeps with a message: the calls that send take it, and the message's record gives it back. */
import * as z from "zod";
import { metadataSchema, storedMetadataSchema } from "./metadata.ts";
import { cardIdSchema } from "./request_fields.ts";
import type { AnswerOf } from "./response_fields.ts";

/** The fields as a request gives them. Drafts, the calls of the database and batches follow. */
export const callerFields = {
  cardId: cardIdSchema.optional(),
  metadata: metadataSchema.optional(),
};

type CallerSchemas = typeof callerFields;

/** The fields as a request gives them, and as they are stored. */
export type CallerFields = {
  readonly [Name in keyof CallerSchemas]?: z.infer<CallerSchemas[Name]> | undefined;
};

/** The fields as answers show them. */
export const shownCallerFields = {
  cardId: z.string().nullable(),
  metadata: storedMetadataSchema,
} satisfies Readonly<Record<keyof CallerFields, z.ZodType>>;

export type ShownCallerFields = AnswerOf<z.ZodObject<typeof shownCallerFields>>;

const names = Object.keys(callerFields) as readonly (keyof CallerFields)[];

/** The caller's fields of a request, a draft or a record. */
export function readCallerFields<Holder extends CallerFields | ShownCallerFields>(
  holder: Holder,
): Pick<Holder, keyof CallerFields> {
  const read = names.map((name) => [name, holder[name]]);
  return Object.fromEntries(read) as Pick<Holder, keyof CallerFields>;
}
