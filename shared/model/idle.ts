/** The silences of conversations that an instance is told of. */
import * as z from "zod";

/** Who is to write next: the contact, or the business. */
export const awaitedParties = ["customer", "us"] as const;

/** Most silences of an instance. */
const maxEntries = 5;

const meanings = {
  afterMinutes: "Minutes after the conversation's newest message.",
  awaiting:
    "Who is to write next: `customer`, because the newest message is ours, or `us`, because it is the contact's.",
} as const;

const awaitingSchema = z.enum(awaitedParties).meta({ description: meanings.awaiting });

const entrySchema = z.object({
  afterMinutes: z.number().int().min(5).max(43_200).meta({ description: meanings.afterMinutes }),
  awaiting: awaitingSchema,
});

/** What a request says. An empty list and null tell of none. */
export const idleSchema = z.array(entrySchema).max(maxEntries).refine(
  (entries) =>
    new Set(entries.map(({ afterMinutes, awaiting }) => `${awaiting} ${afterMinutes}`)).size ===
      entries.length,
  "must not have an entry twice",
).nullable();

/** What an answer says. */
export const shownIdleSchema = z.array(
  z.object({
    afterMinutes: z.int().min(5).max(43_200).meta({ description: meanings.afterMinutes }),
    awaiting: awaitingSchema,
  }),
);
