import * as z from "zod";
import { successField } from "../../shared/model/response_fields.ts";
import { holdFields, instanceHoldSchema } from "../../shared/model/hold.ts";
import { instantSchema } from "../../shared/model/instant.ts";

const countSchema = z.int().min(0);
const statusSchema = z.enum(["ok", "late", "held", "disconnected"]);

const oldestDue = {
  oldestDueAt: instantSchema.nullable(),
  oldestDueSeconds: countSchema.nullable(),
};

/** The answer of GET admin-api/health. */
export const serviceHealthResponseSchema = z.object({
  ...successField,
  status: statusSchema,
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
    ...oldestDue,
  }),
  outbox: z.object({ pending: countSchema, dead: countSchema, ...oldestDue }),
  database: z.object({ sizeBytes: countSchema }),
  attention: z.array(z.object({
    instanceId: z.uuid(),
    name: z.string(),
    status: statusSchema,
    heldBy: instanceHoldSchema.nullable(),
    ...holdFields,
    oldestDueSeconds: countSchema.nullable(),
    queueDepth: countSchema,
    unconfirmed: countSchema,
  })),
});
