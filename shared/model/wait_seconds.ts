/** How long a reading call waits for what it asks for. */
import * as z from "zod";

/** The most that one call waits. */
export const mostWaitSeconds = 20;

const wrongWait = `must be a whole number from 0 to ${mostWaitSeconds}`;

/** `waitSeconds` of a query: 0 to 20. */
export const waitSecondsSchema = z.string().regex(/^[0-9]{1,2}$/, wrongWait).transform(Number)
  .pipe(z.number().max(mostWaitSeconds, wrongWait))
  .default(0)
  // The API document describes the number, not its text in the query.
  .meta({ type: "integer", minimum: 0, maximum: mostWaitSeconds, pattern: undefined });
