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

/** What cancels a message while it waits. */
export const cancelEvents = ["reply", "payment"] as const;

/** Why a message that was to follow up on something was canceled. */
export const cancelReasons = ["replied", "paid", "payment_canceled"] as const;

/** How a caller names a payment request on an instance. */
export const paymentReferenceSchema = z.string().max(35).regex(
  /^[A-Za-z0-9._-]{1,35}$/,
  "must be 1 to 35 letters, digits, full stops, underscores or hyphens",
);

const cancelOnSchema = z.array(z.enum(cancelEvents)).min(1).max(cancelEvents.length).refine(
  (events) => new Set(events).size === events.length,
  "must not name an event twice",
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
  cancelOn: cancelOnSchema.optional(),
  paymentReference: paymentReferenceSchema.optional(),
};

/** What a sending call says of the instants of its message. */
export type Timing = {
  readonly [Field in keyof typeof timingFields]?: z.infer<(typeof timingFields)[Field]>;
};

/**
 * The issues of a request that names its instant twice, whose message does not wait for what would cancel
 * it, or that names a payment in one of `cancelOn` and `paymentReference` alone.
 */
export function findTimingIssues(request: Readonly<Record<string, unknown>>): Issue[] {
  const isTwice = request["sendAt"] !== undefined && request["delayMessage"] !== undefined;
  const beside = { path: "sendAt", message: "must not be given beside delayMessage" };
  const waits = request["queued"] === true || request["sendAt"] !== undefined ||
    typeof request["delayMessage"] === "number" && request["delayMessage"] > 0;
  return [
    ...(isTwice ? [beside] : []),
    ...(request["cancelOn"] === undefined || waits ? [] : [{
      path: "cancelOn",
      message: "needs a message that waits: queued, delayMessage or sendAt",
    }]),
    ...findPaymentIssues(request),
  ];
}

/** The issues of `cancelOn` and `paymentReference` beside each other. */
export function findPaymentIssues(
  { cancelOn, paymentReference }: Readonly<Record<string, unknown>>,
): Issue[] {
  const namesPayment = Array.isArray(cancelOn) && cancelOn.includes("payment");
  if (namesPayment === (paymentReference !== undefined)) return [];
  return [{
    path: "paymentReference",
    message: namesPayment
      ? "is required when cancelOn has payment"
      : "must not be given without payment in cancelOn",
  }];
}

/** The fields of a valid request; undefined where it has none of them. */
export function readTiming(
  { sendAt, expiresAt, cancelKey, cancelOn, paymentReference }: Timing,
): Timing | undefined {
  const timing = { sendAt, expiresAt, cancelKey, cancelOn, paymentReference };
  return Object.values(timing).every((field) => field === undefined) ? undefined : timing;
}
