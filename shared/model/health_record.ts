/** Whether an instance, or all of them, send their messages: answers and the database's records follow. */
import * as z from "zod";
import { allowanceSchema, mostMessagesPerSecond } from "./allowance.ts";
import { webhookStates } from "./connection.ts";
import { holdFields, instanceHoldSchema } from "./hold.ts";
import { instantSchema } from "./instant.ts";
import { dayOfProtectionSchema } from "./queue_record.ts";
import { type AnswerOf, heldBySchema, messageStatusSchema } from "./response_fields.ts";
import { budgetStateSchema } from "./usage_record.ts";

const countSchema = z.int().min(0);

const healthStatusSchema = z.enum(["ok", "late", "held", "disconnected"]);

/** The oldest due row of a queue or of the outbox. */
const oldestDueFields = {
  oldestDueAt: instantSchema.nullable(),
  oldestDueSeconds: countSchema.nullable(),
};

/** Whether an instance sends its messages, with instants in its time zone. */
export const instanceHealthFields = {
  status: healthStatusSchema,
  ...oldestDueFields,
  nextDueAt: instantSchema.nullable(),
  queueDepth: countSchema,
  inFlight: countSchema,
  unconfirmed: countSchema,
  isWindowOpen: z.boolean(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  connection: z.object({
    state: z.enum(["connected", "disconnected", "unknown"]),
    since: instantSchema.nullable(),
    until: instantSchema.nullable(),
    reason: z.string().nullable(),
  }),
  webhooks: z.object({ state: z.enum(webhookStates), url: z.string().nullable() }),
  /** As the official channel names it. */
  channelLimit: z.string().nullable(),
  allowance: allowanceSchema,
  /** Null where the instance has none. */
  pace: z.object({
    messagesPerSecond: z.int().min(1).max(mostMessagesPerSecond),
    current: z.number().positive(),
    slowedUntil: instantSchema.nullable(),
  }).nullable(),
  budget: budgetStateSchema.nullable(),
  protection: dayOfProtectionSchema.nullable(),
  lastSuccessAt: instantSchema.nullable(),
  lastFailure: z.object({
    at: instantSchema,
    status: messageStatusSchema,
    code: z.string().nullable(),
    message: z.string().nullable(),
  }).nullable(),
};

export type InstanceHealth = AnswerOf<z.ZodObject<typeof instanceHealthFields>>;

/** Whether the service sends its messages, over all instances. */
export const serviceHealthFields = {
  status: healthStatusSchema,
  checkedAt: instantSchema,
  instances: z.object({
    total: countSchema,
    held: countSchema,
    disconnected: countSchema,
    late: countSchema,
    unconfirmed: countSchema,
  }),
  messages: z.object({
    queueDepth: countSchema,
    inFlight: countSchema,
    unconfirmed: countSchema,
    ...oldestDueFields,
  }),
  outbox: z.object({ pending: countSchema, dead: countSchema, ...oldestDueFields }),
  database: z.object({ sizeBytes: countSchema }),
  attention: z.array(z.object({
    instanceId: z.uuid(),
    name: z.string(),
    status: healthStatusSchema,
    heldBy: instanceHoldSchema.nullable(),
    ...holdFields,
    oldestDueSeconds: countSchema.nullable(),
    queueDepth: countSchema,
    unconfirmed: countSchema,
  })),
};

export type ServiceHealth = AnswerOf<z.ZodObject<typeof serviceHealthFields>>;
