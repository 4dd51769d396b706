/** When a message may leave: the fields of every sending call, and their rules. */
import * as z from "zod";
import { shortTextSchema } from "./bounded_fields.ts";
import type { Issue } from "./errors.ts";
import { storableInstantSchema } from "./instant.ts";

/** The caller's name for messages that are canceled together. In characters, as JSON Schema counts them. */
export const cancelKeySchema = shortTextSchema(100).refine(
  (text) => text.isWellFormed() && !text.includes("\0"),
  "must not contain NUL or half of a surrogate pair",
);

/** Seconds to wait before sending. */
export const delayMessageSchema = z.number().min(0).max(86_400);

/** Seconds between queued messages. */
export const intervalSecondsSchema = z.number().int().min(10).max(3_600);

/**
 * Whether the instants are ahead is decided where the call is recorded, so that a call that is repeated
 * late gets its first answer.
 */
export const timingFields = {
  sendAt: storableInstantSchema.optional(),
  expiresAt: storableInstantSchema.optional(),
  cancelKey: cancelKeySchema.optional(),
};

/** What a sending call says of the instants of its message. */
export type Timing = {
  readonly [Field in keyof typeof timingFields]?: z.infer<(typeof timingFields)[Field]>;
};

/** The issues of a request that names its instant twice. */
export function findTimingIssues(request: Readonly<Record<string, unknown>>): Issue[] {
  return request["sendAt"] === undefined || request["delayMessage"] === undefined
    ? []
    : [{ path: "sendAt", message: "must not be given beside delayMessage" }];
}

/** The fields of a valid request; undefined where it has none of them. */
export function readTiming({ sendAt, expiresAt, cancelKey }: Timing): Timing | undefined {
  return [sendAt, expiresAt, cancelKey].every((field) => field === undefined)
    ? undefined
    : { sendAt, expiresAt, cancelKey };
}
