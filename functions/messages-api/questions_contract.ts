import * as z from "zod";
import { questionKeySchema } from "../../shared/model/ask.ts";
import { pageSchema } from "../../shared/model/page.ts";
import { questionRecordFields, questionStatuses } from "../../shared/model/question_record.ts";
import { idSchema, instanceIdSchema } from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";
import { waitSecondsSchema } from "../../shared/model/wait_seconds.ts";

/** GET /functions/v1/messages-api/questions/{id}. */
export const readQuestionSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  waitSeconds: waitSecondsSchema,
});

/** GET /functions/v1/messages-api/questions. */
export const listQuestionsSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
  status: z.enum(questionStatuses).optional(),
  contactId: idSchema.optional(),
  key: questionKeySchema.optional(),
  batchId: idSchema.optional(),
});

export const questionResponseSchema = z.object({ ...successField, ...questionRecordFields });

export const questionsResponseSchema = z.object({
  ...successField,
  items: z.array(questionResponseSchema.omit({ success: true })),
  nextCursor: z.string().nullable(),
});
