/** The erasure of a person as contacts-api shows it: its answer and the database's record follow. */
import * as z from "zod";
import type { AnswerOf } from "./response_fields.ts";

const countSchema = z.int().min(0);

export const erasureStatuses = ["pending", "done"] as const;

export const erasureFields = {
  erasureId: z.uuid(),
  contactId: z.uuid(),
  status: z.enum(erasureStatuses),
  /** How many rows of each kind are gone, or were emptied of what was about the person. */
  counts: z.object({
    messages: countSchema,
    notes: countSchema,
    media: countSchema,
    events: countSchema,
    deliveries: countSchema,
    providerPayloads: countSchema,
    outboxPayloads: countSchema,
    idempotencyBodies: countSchema,
  }),
};

export type Erasure = AnswerOf<z.ZodObject<typeof erasureFields>>;
