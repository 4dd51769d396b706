/** An entry of the outbox as admin-api shows it: its answer and the database's record follow. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";
import { outboxStatuses } from "./outbox_kinds.ts";
import type { AnswerOf } from "./response_fields.ts";

export const outboxRecordFields = {
  outboxId: z.uuid(),
  workspaceId: z.uuid(),
  instanceId: z.uuid().nullable(),
  kind: z.string(),
  status: z.enum(outboxStatuses),
  attempts: z.int().min(0),
  lastError: z.string().nullable(),
  runAt: instantSchema,
  createdAt: instantSchema,
  settledAt: instantSchema.nullable(),
};

export type OutboxRecord = AnswerOf<z.ZodObject<typeof outboxRecordFields>>;
