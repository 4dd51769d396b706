/** What an instance's messages have cost: the query and the answer of everybody who may ask. */
import * as z from "zod";
import type { Issue } from "../model/errors.ts";
import type { CrossCheck } from "./validate.ts";
import { countDays } from "../model/calendar_days.ts";
import { pageSchema } from "../model/page.ts";
import { daySchema, flagSchema } from "../model/request_fields.ts";
import { usageFields } from "../model/usage_record.ts";
import { successField } from "../model/response_fields.ts";

const maxDays = 366;

/** By what usage is summed up. */
export const usageGroupings = [
  ...["day", "month", "category", "type", "messageType", "sentBy", "agent", "batch"] as const,
  "market",
] as const;

/** What to sum up, and by what. */
export const usageQuerySchema = pageSchema.extend({
  from: daySchema,
  to: daySchema,
  groupBy: z.enum(usageGroupings).default("day"),
  daily: flagSchema.optional(),
});

/** Checks that the period has at least one day and at most 366. */
export const checkUsagePeriod: CrossCheck = (query): Issue[] => {
  const [from, to] = [daySchema.safeParse(query["from"]), daySchema.safeParse(query["to"])];
  if (!from.success || !to.success) return [];
  const days = countDays({ start: from.data, end: to.data });
  if (days < 1) return [{ path: "to", message: "must not be before from" }];
  if (days <= maxDays) return [];
  return [{ path: "to", message: `must be at most ${maxDays} days from from, both included` }];
};

/** The end of a page: usage is sorted by its day, where each has sums of its own, and its key. */
export const usageEndSchema = z.object({ day: z.string().optional(), key: z.string() });

export const usageResponseSchema = z.object({
  ...successField,
  ...usageFields,
  nextCursor: z.string().nullable(),
});
