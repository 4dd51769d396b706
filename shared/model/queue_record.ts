/** The queue as messages-api and admin-api show it: their answers and the database's records follow. */
import * as z from "zod";
import { holdFields } from "./hold.ts";
import { instantSchema, zonedInstantSchema } from "./instant.ts";
import { type AnswerOf, heldBySchema } from "./response_fields.ts";

const countSchema = z.int().min(0);

/** What the limits of an instance's day allow, and what of it is taken. */
export const dayOfProtectionSchema = z.object({
  day: z.iso.date(),
  limit: z.int().nullable(),
  limitedBy: z.enum(["daily_limit", "warm_up"]).nullable(),
  sent: countSchema,
  waiting: countSchema,
  newContacts: z.object({
    limit: z.int(),
    sent: countSchema,
    waiting: countSchema,
  }).nullable(),
});

export type DayOfProtection = AnswerOf<typeof dayOfProtectionSchema>;

/** A waiting message with its position in the queue, from 1. */
export const waitingMessageSchema = z.object({
  messageId: z.uuid(),
  /** Null for a contact that hides the number. */
  phone: z.string().nullable(),
  messageType: z.string(),
  /** Null where an operator holds it without an end. */
  scheduledFor: zonedInstantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  position: z.int().min(1),
});

export type WaitingMessage = AnswerOf<typeof waitingMessageSchema>;

/** What an operator's hold has come to. */
export const holdOutcomeFields = {
  instances: countSchema,
  /** Messages that had been claimed before: they may still leave. */
  inFlight: countSchema,
  heldUntil: instantSchema.nullable(),
  reason: z.string().nullable(),
};

export type HoldOutcome = AnswerOf<z.ZodObject<typeof holdOutcomeFields>>;

/** An instance that an operator holds. */
export const queueHoldFields = {
  instanceId: z.uuid(),
  name: z.string(),
  heldAt: instantSchema,
  heldUntil: instantSchema.nullable(),
  reason: z.string().nullable(),
  waiting: countSchema,
  inFlight: countSchema,
};

export type QueueHold = AnswerOf<z.ZodObject<typeof queueHoldFields>>;

/** A message that may have left between the dump and the restore. */
const restoredMessageSchema = z.object({
  messageId: z.uuid(),
  instanceId: z.uuid(),
  contactId: z.uuid(),
  messageType: z.string(),
  state: z.enum(["waiting", "in_flight", "unconfirmed"]),
  dueAt: instantSchema,
  createdAt: instantSchema,
});

export type RestoredMessage = AnswerOf<typeof restoredMessageSchema>;

/** What may have left of one instance. */
const restoredInstanceSchema = z.object({
  instanceId: z.uuid(),
  name: z.string(),
  waiting: countSchema,
  inFlight: countSchema,
  unconfirmed: countSchema,
  emails: countSchema,
  agentReplies: countSchema,
});

/** What a page of what may have left says of all of it. */
const mayHaveLeftSummary = {
  since: instantSchema,
  until: instantSchema,
  total: countSchema,
  /** Messages in the queue that were accepted after `since`, and are not listed. */
  acceptedSince: countSchema,
  instances: z.array(restoredInstanceSchema),
};

export type MayHaveLeftSummary = AnswerOf<z.ZodObject<typeof mayHaveLeftSummary>>;

export const mayHaveLeftFields = {
  ...mayHaveLeftSummary,
  items: z.array(restoredMessageSchema),
  nextCursor: z.string().nullable(),
};

/** What becomes of messages that may have left. */
export const settlingActions = ["cancel", "keep", "unconfirmed"] as const;
export type SettlingAction = (typeof settlingActions)[number];

/** What one batch settled, and what the action has still to settle. */
export const settledRestoredFields = {
  unconfirmed: countSchema,
  canceled: countSchema,
  outboxRows: countSchema,
  remaining: countSchema,
};

export type SettledRestored = AnswerOf<z.ZodObject<typeof settledRestoredFields>>;
