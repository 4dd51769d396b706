import * as z from "zod";

/** An instant of an answer: ISO 8601 in UTC (decisions, section 1). */
export const instantSchema = z.iso.datetime({ abort: true });

/** An instant with an offset: `scheduledFor` has that of the instance's time zone. */
export const zonedInstantSchema = z.iso.datetime({ offset: true, abort: true });

/** With nine digits of a second, as the finest clocks have, an instant has 35 characters. */
const maxLength = 64;
const wrongInstant = "must be an instant with a valid offset";

/** The same in a request, such that Postgres can parse it: no year 0, no offset of 16 hours or more. */
export const storableInstantSchema = zonedInstantSchema
  .max(maxLength, { error: wrongInstant, abort: true })
  .regex(/^(?!0000).*(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/, wrongInstant);
