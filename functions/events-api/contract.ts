import * as z from "zod";
import { waitSecondsSchema } from "../../shared/model/wait_seconds.ts";
import { eventSchema } from "../../shared/events/event_data.ts";
import { formSchema } from "../../shared/model/bounded_fields.ts";
import { describeWrongTypes, type EventType, isEventType } from "../../shared/model/event_types.ts";
import { instanceIdSchema, pageSizeSchema } from "../../shared/model/request_fields.ts";
import { type AnswerOf, successField } from "../../shared/model/response_fields.ts";

/** Types of events in a query, separated by commas. */
const typeListSchema = z.string().max(5_000).transform((list) =>
  list.split(",").map((type) => type.trim())
)
  .refine((types): types is EventType[] => types.every(isEventType), {
    error: ({ input }) => describeWrongTypes(input as string[]),
  })
  .meta({ type: "string", example: "message.received,message.delivered" });

/** What the issue of an invalid `after` says, whether its form or the database refuses it. */
export const wrongCursor = "must be oldest, or a nextCursor of this instance's feed";

/** GET /functions/v1/events-api/events. */
export const readFeedSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  after: formSchema(/^[\w-]{1,100}$/, 100, wrongCursor).optional(),
  types: typeListSchema.optional(),
  limit: pageSizeSchema,
  waitSeconds: waitSecondsSchema,
});

export const feedResponseSchema = z.object({
  ...successField,
  items: z.array(eventSchema),
  nextCursor: z.string(),
  hasMore: z.boolean(),
});

export type FeedResponse = AnswerOf<typeof feedResponseSchema>;
