import * as z from "zod";

/** What answers of sending calls say of the question. */
export const askedFields = {
  questionId: z.uuid().meta({ description: "Id of the question that the message asks." })
    .optional(),
  notifySecret: z.string().meta({
    description:
      "Signs the call of `ask.notifyUrl` by Standard Webhooks. Shown in this answer, and where the call is repeated with its `Idempotency-Key`.",
  }).optional(),
};
