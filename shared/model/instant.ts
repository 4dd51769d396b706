import * as z from "zod";

/** An instant of an answer: ISO 8601 in UTC (decisions, section 1). */
export const instantSchema = z.iso.datetime({ abort: true });

/** An instant with an offset: `scheduledFor` has that of the instance's time zone. */
export const zonedInstantSchema = z.iso.datetime({ offset: true, abort: true });

/** The same in a request, such that Postgres can parse it: no year 0, no offset of 16 hours or more. */
export const storableInstantSchema = zonedInstantSchema
  .regex(/^(?!0000).*(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/, "must be an instant with a valid offset");
