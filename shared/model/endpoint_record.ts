/** Webhook endpoints and their deliveries as events-api shows them: answers and the database's records follow. */
import * as z from "zod";
import { deliveryStatuses, disabledReasons } from "./endpoint_states.ts";
import { eventTypes } from "./event_types.ts";
import { instantSchema } from "./instant.ts";
import type { AnswerOf } from "./response_fields.ts";

export const endpointFields = {
  endpointId: z.uuid(),
  instanceId: z.uuid(),
  url: z.string(),
  /** Null for all types. */
  types: z.array(z.enum(eventTypes)).nullable(),
  description: z.string().nullable(),
  isActive: z.boolean(),
  /** Null where a call has made it inactive. */
  disabledReason: z.enum(disabledReasons).nullable(),
  disabledAt: instantSchema.nullable(),
  failingSince: instantSchema.nullable(),
  previousSecretUntil: instantSchema.nullable(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
};

export type EndpointRecord = AnswerOf<z.ZodObject<typeof endpointFields>>;

const attemptFields = {
  status: z.int().nullable(),
  error: z.string().nullable(),
  durationMs: z.int().min(0),
};

/** What a test of an endpoint has come to. */
export const testOutcomeFields = { delivered: z.boolean(), ...attemptFields };

export type TestOutcome = AnswerOf<z.ZodObject<typeof testOutcomeFields>>;

export const deliveryFields = {
  deliveryId: z.uuid(),
  endpointId: z.uuid(),
  eventId: z.string(),
  type: z.enum(eventTypes),
  status: z.enum(deliveryStatuses),
  attempts: z.array(
    z.object({ at: instantSchema, ...attemptFields, answer: z.string().nullable() }),
  ),
  nextAttemptAt: instantSchema.nullable(),
  createdAt: instantSchema,
};

export type DeliveryRecord = AnswerOf<z.ZodObject<typeof deliveryFields>>;
