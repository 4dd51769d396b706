import { historyStatuses } from "../../shared/model/message_status.ts";
import * as z from "zod";
import { partSchemas, shownSentParts } from "../../shared/model/content_parts.ts";
import { receivedPartFields } from "../../shared/model/received_parts.ts";
import { instantSchema } from "../../shared/model/instant.ts";
import { directionSchema } from "../../shared/model/message_record.ts";
import { messageQuestionFields } from "../../shared/model/question_record.ts";
import { shownCallerFields } from "../../shared/model/caller_fields.ts";
import { messageErrorSchema } from "../../shared/model/message_error.ts";
import { costSchema, pricingSchema } from "../../shared/model/pricing.ts";
import { purposes } from "../../shared/model/purpose.ts";
import type { Issue } from "../../shared/model/errors.ts";
import { countDays } from "../../shared/model/calendar_days.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import {
  daySchema,
  findRecipientIssues,
  instanceIdSchema,
  pageSizeSchema,
  phoneSchema,
  recipientFields,
} from "../../shared/model/request_fields.ts";
import {
  type AnswerOf,
  groupReceiptSchema,
  mediaFields,
  messageContactSchema,
  messageFactFields,
  successField,
} from "../../shared/model/response_fields.ts";

const maxDays = 366;

const booleanSchema = z.enum(["true", "false"], {
  error: ({ input }) => input === undefined ? undefined : "must be true or false",
}).transform((text) => text === "true");

const periodDaySchema = daySchema.refine(
  (day) => day >= "1970-01-01" && day < "3000-01-01",
  "must be a date from 1970 to 2999",
);

/** The query of GET /functions/v1/messages-context (specification 4.2). */
export const readContextSchema = z.object({
  ...recipientFields,
  start: periodDaySchema,
  end: periodDaySchema,
  instanceId: instanceIdSchema.optional(),
  connectedPhone: phoneSchema.optional(),
  limit: pageSizeSchema,
  fromMe: booleanSchema.optional(),
  attachments: booleanSchema.default(true),
  format: z.enum(["conversation", "raw"]).default("conversation"),
  includeMeta: booleanSchema.default(true),
});

export type ReadContextRequest = z.infer<typeof readContextSchema>;

/**
 * Requires one contact, at least one reference to the instance, and a period of at most 366 days that does not
 * end before it starts.
 */
export const checkReadContext: CrossCheck = (query) => [
  ...findRecipientIssues(query),
  ...(query["instanceId"] === undefined && query["connectedPhone"] === undefined
    ? [{ path: "instanceId", message: "is required, or connectedPhone" }]
    : []),
  ...checkPeriod(
    periodDaySchema.safeParse(query["start"]),
    periodDaySchema.safeParse(query["end"]),
  ),
];

function checkPeriod(
  start: z.ZodSafeParseResult<string>,
  end: z.ZodSafeParseResult<string>,
): Issue[] {
  if (!start.success || !end.success) return [];
  const days = countDays({ start: start.data, end: end.data });
  if (days < 1) return [{ path: "end", message: "must not be before start" }];
  if (days <= maxDays) return [];
  return [{ path: "end", message: `must be at most ${maxDays} days from start, both included` }];
}

const conversationItemSchema = z.object({
  role: z.enum(["user", "assistant"]),
  sender: z.string(),
  content: z.string(),
  timestamp: z.int(),
  status: z.enum(["received", "sent"]),
  messageId: z.uuid().optional(),
  messageType: z.string().optional(),
  isGroup: z.boolean().optional(),
  chatName: z.string().nullable().optional(),
  cardId: z.string().nullable().optional(),
});

export type ConversationItem = AnswerOf<typeof conversationItemSchema>;

const { cardId, metadata, ...furtherCallerFields } = shownCallerFields;

/** What `includeMeta=false` leaves out of a raw message. */
const rawMetaSchema = z.object({
  messageId: z.uuid(),
  messageType: z.string(),
  cardId,
  ...messageFactFields,
  batchId: z.uuid().nullable(),
  metadata,
  ...furtherCallerFields,
  purpose: z.enum(purposes),
  conversationId: z.uuid(),
  providerMessageId: z.string().nullable(),
  channelStatus: z.string().nullable(),
  pricing: pricingSchema.nullable(),
  estimatedCost: costSchema.nullable(),
  groupReceipts: z.array(groupReceiptSchema).optional(),
  ...messageQuestionFields,
  scheduledFor: instantSchema.nullable(),
  createdAt: instantSchema,
  editedAt: instantSchema.nullable(),
  deletedAt: instantSchema.nullable(),
  attempts: z.int().min(0),
  lastError: messageErrorSchema.nullable(),
});

export type RawMeta = AnswerOf<typeof rawMetaSchema>;

const { mediaUrl, ...otherMediaFields } = mediaFields;

const { choice, ...otherParts } = receivedPartFields;
const { optionList: _list, ...otherSentParts } = shownSentParts;

/** Each part of a content. */
const shownParts = {
  optionList: partSchemas.optionList.nullable(),
  choice,
  template: partSchemas.template.nullable(),
  ...otherParts,
  ...otherSentParts,
};

const rawMessageSchema = z.object({
  ...rawMetaSchema.partial().shape,
  direction: directionSchema,
  status: z.enum(historyStatuses),
  message: z.string().nullable(),
  mediaUrl,
  ...otherMediaFields,
  transcript: z.string().nullable(),
  ...shownParts,
  sentAt: instantSchema,
  deliveredAt: instantSchema.nullable(),
  readAt: instantSchema.nullable(),
});

export type RawMessage = AnswerOf<typeof rawMessageSchema>;

export const readContextResponseSchema = z.object({
  ...successField,
  phone: z.string().nullable(),
  period: z.object({ start: daySchema, end: daySchema }),
  totalMessages: z.int().min(0),
  hasMore: z.boolean(),
  conversation: z.array(conversationItemSchema).optional(),
  messages: z.array(rawMessageSchema).optional(),
  contact: messageContactSchema.nullable().optional(),
  instanceInfo: z.object({
    instanceId: z.uuid(),
    gatewayInstanceId: z.string().nullable(),
  }),
});

export type ReadContextResponse = AnswerOf<typeof readContextResponseSchema>;
