import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { workspacePageSchema } from "../contract.ts";

/** GET admin-api/outbox. */
export const outboxPageSchema = workspacePageSchema.extend({
  status: z.enum(["pending", "done", "dead"]).optional(),
});

/** An entry as responses show it. */
export const outboxRecord = {
  outboxId: z.uuid(),
  workspaceId: z.uuid(),
  instanceId: z.uuid().nullable(),
  kind: z.string(),
  status: z.enum(["pending", "done", "dead"]),
  attempts: z.int().min(0),
  lastError: z.string().nullable(),
  runAt: instantSchema,
  createdAt: instantSchema,
  settledAt: instantSchema.nullable(),
};
