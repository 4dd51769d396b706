import * as z from "zod";
import { storableInstantSchema } from "../../../shared/model/instant.ts";
import { instanceIdSchema } from "../../../shared/model/request_fields.ts";
import {
  holdOutcomeFields,
  mayHaveLeftFields,
  queueHoldFields,
  settledRestoredFields,
  settlingActions,
} from "../../../shared/model/queue_record.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";
import { pageSchema } from "../../../shared/model/page.ts";

/** POST admin-api/queue/hold. Without `instanceId` every instance is held. */
export const holdQueueSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  until: storableInstantSchema.optional(),
  reason: z.string().trim().min(1).max(500).optional(),
});

/** POST admin-api/queue/release. */
export const releaseQueueSchema = z.object({ instanceId: instanceIdSchema.optional() });

/** GET admin-api/queue/holds. */
export const listHoldsSchema = pageSchema;

/** GET admin-api/queue/may-have-left. */
export const mayHaveLeftSchema = pageSchema.extend({
  since: storableInstantSchema,
  until: storableInstantSchema.optional(),
  instanceId: instanceIdSchema.optional(),
});

/** POST admin-api/queue/may-have-left/settle. */
export const settleMayHaveLeftSchema = z.object({
  action: z.enum(settlingActions),
  since: storableInstantSchema,
  until: storableInstantSchema.optional(),
  instanceId: instanceIdSchema.optional(),
});

export const holdQueueResponseSchema = recordAnswer(holdOutcomeFields);

export const releaseQueueResponseSchema = recordAnswer({ instances: z.int().min(0) });

export const queueHoldsResponseSchema = pageAnswer(queueHoldFields);

export const mayHaveLeftResponseSchema = recordAnswer(mayHaveLeftFields);

export const settledResponseSchema = recordAnswer(settledRestoredFields);
