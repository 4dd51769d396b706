import * as z from "zod";

/** An instant in ISO 8601 with an offset, as every answer holds it. */
export const instantSchema = z.iso.datetime({ offset: true, abort: true });

/** The same in a request, such that Postgres can parse it: no year 0, no offset of 16 hours or more. */
export const storableInstantSchema = instantSchema
  .regex(/^(?!0000).*(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/, "must be an instant with a valid offset");
