/** A batch as batches-api shows it: its answers and the database's records follow from these schemas. */
import * as z from "zod";
import {
  batchStatuses,
  batchValidations,
  pauseReasons,
  recipientStatuses,
} from "./batch_states.ts";
import { holdFields } from "./hold.ts";
import { instantSchema } from "./instant.ts";
import { messageErrorSchema } from "./message_error.ts";
import { sentAsKinds } from "./outside_window.ts";
import { estimatedCostSchema } from "./pricing.ts";
import { purposes } from "./purpose.ts";
import { type AnswerOf, heldBySchema } from "./response_fields.ts";

const countSchema = z.int().min(0);

/** The number of each of these. */
function countsOf<const Name extends string>(
  names: readonly Name[],
): z.ZodObject<Record<Name, z.ZodInt>> {
  return z.object(
    Object.fromEntries(names.map((name) => [name, countSchema])) as Record<Name, z.ZodInt>,
  );
}

/** What a batch does not show by itself: `category_changes`, its template will cost by another category. */
const warningsSchema = z.array(z.enum(["category_changes"]));

const costFields = {
  /** What a draft would cost, and what any other has cost so far. */
  estimatedCost: estimatedCostSchema.nullable(),
  /** What is still to be sent would cost by the announced category. */
  estimatedCostAfterChange: estimatedCostSchema.nullable(),
};

const [pending, queued, ...further] = recipientStatuses;

export const batchRecordFields = {
  batchId: z.uuid(),
  name: z.string().nullable(),
  status: z.enum(batchStatuses),
  templateId: z.uuid().nullable(),
  purpose: z.enum(purposes),
  validation: z.enum(batchValidations),
  /** Seconds between two messages at present: a fraction under a pace. */
  intervalSeconds: z.number().positive(),
  startAt: instantSchema.nullable(),
  expiresAt: instantSchema.nullable(),
  recipientCount: countSchema,
  counts: countsOf([pending, queued, "awaitingReply", ...further]),
  firstScheduledFor: instantSchema.nullable(),
  lastScheduledFor: instantSchema.nullable(),
  createdAt: instantSchema,
  startedAt: instantSchema.nullable(),
  finishedAt: instantSchema.nullable(),
  /** Null where it has not paused, or a call paused it. */
  pauseReason: z.enum(pauseReasons).nullable(),
  pauseError: messageErrorSchema.nullable(),
  warnings: warningsSchema,
  ...costFields,
};

export type BatchRecord = AnswerOf<z.ZodObject<typeof batchRecordFields>>;

/** What a batch sends, before it is filled: one of the two is null. In the record of one batch alone. */
export const batchWordsFields = {
  template: z.object({ templateId: z.uuid(), name: z.string(), language: z.string() }).nullable(),
  /** As the creating call gave it. */
  message: z.looseObject({ messageType: z.string(), message: z.string().optional() }).nullable(),
};

export type BatchWords = AnswerOf<z.ZodObject<typeof batchWordsFields>>;

export const recipientRecordSchema = z.object({
  index: countSchema,
  contactId: z.uuid().nullable(),
  phone: z.string().nullable(),
  status: z.enum(recipientStatuses),
  reason: z.string().nullable(),
  messageId: z.uuid().nullable(),
  questionId: z.uuid().nullable(),
  cardId: z.string().nullable(),
  scheduledFor: instantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  sentAt: instantSchema.nullable(),
  deliveredAt: instantSchema.nullable(),
  readAt: instantSchema.nullable(),
  lastError: messageErrorSchema.nullable(),
});

export type RecipientRecord = AnswerOf<typeof recipientRecordSchema>;

/** The issues of an entry, by its index in the call. */
const entryErrorsSchema = z.object({
  index: countSchema,
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
});

export type EntryErrors = AnswerOf<typeof entryErrorsSchema>;

/** What became of the entries of a call; indexes count through the whole list. */
export const storedRecipientsFields = {
  batchId: z.uuid(),
  status: z.enum(batchStatuses),
  added: countSchema,
  duplicates: z.array(z.object({ index: countSchema, of: countSchema })),
  errors: z.array(entryErrorsSchema),
};

export type StoredRecipients = AnswerOf<z.ZodObject<typeof storedRecipientsFields>>;

/** What a start would do; see `walk_batches`. */
export const dryRunFields = {
  summary: z.object({
    send: countSchema,
    /** Recipients that get no message, by reason. */
    skip: z.record(z.string(), z.int().min(1)),
    firstScheduledFor: instantSchema.nullable(),
    lastScheduledFor: instantSchema.nullable(),
    /** The instance's own days on which something is sent. */
    days: countSchema,
    /** Of `send`: those with an open window at the slot, and those that the channel bills nothing for. */
    windowOpen: countSchema,
    freeEntryPoint: countSchema,
    sentAs: countsOf(sentAsKinds),
  }),
  items: z.array(z.object({
    index: countSchema,
    outcome: z.enum(["send", "skip"]),
    reason: z.string().nullable(),
    scheduledFor: instantSchema.nullable(),
  })),
  /** What the first of those who get a message are sent; `message` is null where there are no words. */
  samples: z.array(z.object({ index: countSchema, message: z.string().nullable() })),
  nextIndex: z.int().min(0).nullable(),
  /** Whether the creating call without `dryRun` is refused, because it is strict and entries have errors. */
  wouldBeRefused: z.boolean(),
  warnings: warningsSchema,
  ...costFields,
};

export type DryRunReport = AnswerOf<z.ZodObject<typeof dryRunFields>>;
