import * as z from "zod";
import type { Issue } from "../../shared/model/errors.ts";
import { countDays } from "../../shared/history/period.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import {
  daySchema,
  instanceIdSchema,
  pageSizeSchema,
  phoneSchema,
} from "../../shared/model/request_fields.ts";

const maxDays = 366;

const booleanSchema = z.enum(["true", "false"], {
  error: ({ input }) => input === undefined ? undefined : "must be true or false",
}).transform((text) => text === "true");

const periodDaySchema = daySchema.refine(
  (day) => day >= "1970-01-01" && day < "3000-01-01",
  "must be a date from 1970 to 2999",
);

/** The query of GET /functions/v1/messages-context (specification 4.2). */
export const readContextSchema = z.object({
  phone: phoneSchema,
  start: periodDaySchema,
  end: periodDaySchema,
  instanceId: instanceIdSchema.optional(),
  connectedPhone: phoneSchema.optional(),
  limit: pageSizeSchema,
  fromMe: booleanSchema.optional(),
  attachments: booleanSchema.default(true),
  format: z.enum(["conversation", "raw"]).default("conversation"),
  includeMeta: booleanSchema.default(true),
});

export type ReadContextRequest = z.infer<typeof readContextSchema>;

/** The instance is named in one way at least; the period is in order and at most 366 days. */
export const checkReadContext: CrossCheck = (query) => [
  ...(query["instanceId"] === undefined && query["connectedPhone"] === undefined
    ? [{ path: "instanceId", message: "is required, or connectedPhone" }]
    : []),
  ...checkPeriod(
    periodDaySchema.safeParse(query["start"]),
    periodDaySchema.safeParse(query["end"]),
  ),
];

function checkPeriod(
  start: z.ZodSafeParseResult<string>,
  end: z.ZodSafeParseResult<string>,
): Issue[] {
  if (!start.success || !end.success) return [];
  const days = countDays({ start: start.data, end: end.data });
  if (days < 1) return [{ path: "end", message: "must not be before start" }];
  if (days <= maxDays) return [];
  return [{ path: "end", message: `must be at most ${maxDays} days from start, both included` }];
}
