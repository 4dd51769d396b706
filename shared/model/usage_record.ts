/** What messages cost, as answers show it: these and the database's records follow from one schema. */
import * as z from "zod";
import { daySchema } from "./request_fields.ts";
import type { AnswerOf } from "./response_fields.ts";

const countSchema = z.int().min(0);

/** An instance's budget and what is spent of it this month. Amounts are decimal texts. */
export const budgetStateSchema = z.object({
  /** Null without a budget. */
  monthlyAmount: z.string().nullable(),
  /** Null without rates. */
  currency: z.string().nullable(),
  spent: z.string(),
  underWay: z.string(),
  reached: z.boolean(),
});

export type BudgetState = AnswerOf<typeof budgetStateSchema>;

export const usageFields = {
  /** That of the workspace's rates; null without rates. */
  currency: z.string().nullable(),
  items: z.array(z.object({
    /** With `daily` alone. */
    day: daySchema.optional(),
    key: z.string().nullable(),
    sent: z.int(),
    delivered: z.int(),
    free: z.int(),
    estimatedCost: z.string(),
    unknown: z.int(),
  })),
};

export type UsageSums = AnswerOf<z.ZodObject<typeof usageFields>>;

/** Our sums beside the provider's. Amounts are decimal texts. */
const comparedSumsFields = {
  delivered: countSchema,
  providerVolume: countSchema,
  estimatedCost: z.string(),
  unknown: countSchema,
  providerCost: z.string(),
};

const comparedSumsSchema = z.array(
  z.object({ key: z.string().nullable(), ...comparedSumsFields }),
);

export const usageComparisonFields = {
  currency: z.string().nullable(),
  providerCurrency: z.string().nullable(),
  categories: comparedSumsSchema,
  types: comparedSumsSchema,
  total: z.object(comparedSumsFields),
  difference: z.object({
    volumePercent: z.number().min(0),
    /** Null where amounts cannot be compared. */
    costPercent: z.number().min(0).nullable(),
  }),
};

export type UsageComparison = AnswerOf<z.ZodObject<typeof usageComparisonFields>>;

/** How many rates of a table are new, gone, or other ones. */
export const rateDifferenceFields = {
  added: countSchema,
  removed: countSchema,
  changed: countSchema,
};

export type RateDifference = AnswerOf<z.ZodObject<typeof rateDifferenceFields>>;
