import * as z from "zod";

/** An instant of an answer: ISO 8601 in UTC, with milliseconds and `Z` (decisions, section 1). */
export const instantSchema = z.iso.datetime({ abort: true });

/** An instant with an offset and milliseconds: `scheduledFor` of a message has that of the instance's time zone. */
export const zonedInstantSchema = z.iso.datetime({ offset: true, abort: true });

/** With nine digits of a second, as the finest clocks have, an instant has 35 characters. */
const maxLength = 64;
const wrongInstant = "must be an instant with a valid offset";

/** The same in a request, such that Postgres can parse it: no year 0, no offset of 16 hours or more. */
export const storableInstantSchema = zonedInstantSchema
  .max(maxLength, { error: wrongInstant, abort: true })
  .regex(/^(?!0000).*(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/, wrongInstant);

/** An instant as `instantSchema` has it. What is no instant stays. */
export function writeInUtc(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const instantMs = Date.parse(value);
  return Number.isNaN(instantMs) ? value : new Date(instantMs).toISOString();
}

/** An instant as `zonedInstantSchema` has it, with its own offset. What is no instant stays. */
export function writeWithOffset(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const [, wallClock, fraction = "", offset] = zonedForm.exec(value) ?? [];
  if (wallClock === undefined) return value;
  return `${wallClock}.${fraction.slice(0, 3).padEnd(3, "0")}${offset === "Z" ? "+00:00" : offset}`;
}

const zonedForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;
