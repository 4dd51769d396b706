import * as z from "zod";
import { variablesSchema } from "../../shared/model/bounded_fields.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { holdFields } from "../../shared/model/hold.ts";
import { instantSchema, storableInstantSchema } from "../../shared/model/instant.ts";
import { checkContent, messageFields } from "../../shared/model/message_request.ts";
import { metadataSchema } from "../../shared/model/metadata.ts";
import { estimatedCostSchema } from "../../shared/model/pricing.ts";
import { orderSchema, pageSchema } from "../../shared/model/page.ts";
import { describeStrayBraces, findStrayBraces } from "../../shared/model/placeholders.ts";
import { outsideWindowField } from "../../shared/model/outside_window.ts";
import { purposes, purposeSchema } from "../../shared/model/purpose.ts";
import {
  cardIdSchema,
  findRecipientIssues,
  findTemplateIssues,
  inOneLine,
  instanceIdSchema,
  pageSizeSchema,
  recipientFields,
  templateNameSchema,
} from "../../shared/model/request_fields.ts";
import { heldBySchema, successField } from "../../shared/model/response_fields.ts";

const instanceField = { instanceId: instanceIdSchema.optional() };

/** One entry of a list: who is written to, and with which values. */
export const recipientSchema = z.object({
  ...recipientFields,
  variables: variablesSchema().optional(),
  cardId: cardIdSchema.optional(),
  metadata: metadataSchema.optional(),
});

export type RecipientRequest = z.infer<typeof recipientSchema>;

/** Requires exactly one of `phone`, `contactId` and `userId`. */
export const checkRecipient: CrossCheck = (recipient) => findRecipientIssues(recipient);

const recipientsSchema = z.array(recipientSchema).max(1_000);

const validationSchema = z.enum(["strict", "permissive"]);

/** POST /functions/v1/batches-api/batches. */
export const createBatchSchema = z.object({
  ...instanceField,
  name: inOneLine(z.string().trim().min(1).max(200)).optional(),
  template: templateNameSchema.partial().extend({
    templateId: z.string().min(1).max(100).optional(),
  })
    .optional(),
  message: z.object(messageFields).optional(),
  purpose: purposeSchema,
  intervalSeconds: z.number().int().min(10).max(3_600).optional(),
  startAt: storableInstantSchema.optional(),
  expiresAt: storableInstantSchema.optional(),
  validation: validationSchema.default("strict"),
  dryRun: z.boolean().optional(),
  ...outsideWindowField,
  recipients: recipientsSchema.optional(),
});

/** Without its recipients, which are read one by one: see `readEntries`. */
export const batchSettingsSchema = createBatchSchema.extend({
  recipients: z.array(z.unknown()).max(1_000).optional(),
});

export type BatchSettings = z.infer<typeof batchSettingsSchema>;

/** Requires a template or a message, and instants that leave time to send. */
export const checkBatchSettings: CrossCheck = (request) => [
  ...checkSource(request),
  ...checkTimes(request),
];

const checkSource: CrossCheck = ({ template, message, outsideWindow }) => {
  if (template === undefined && message === undefined) {
    return [{ path: "message", message: "is required, or template" }];
  }
  if (template !== undefined && message !== undefined) {
    return [{ path: "message", message: "must not be given beside template" }];
  }
  if (template !== undefined) {
    // A template goes whether the window is open or not.
    const beside = { path: "outsideWindow", message: "must not be given beside template" };
    return [
      ...findTemplateIssues(template, "template."),
      ...(outsideWindow === undefined ? [] : [beside]),
    ];
  }
  if (typeof message !== "object" || message === null) return [];
  const given = message as Readonly<Record<string, unknown>>;
  const issues = checkContent(given);
  if (given["messageType"] === "reaction") {
    issues.unshift({ path: "messageType", message: "reaction cannot be sent in a batch" });
  }
  if (given["messageType"] === undefined) {
    issues.unshift({ path: "messageType", message: "is required" });
  }
  return [
    ...issues.map((issue) => ({ ...issue, path: `message.${issue.path}` })),
    ...findFixedBraces(message, "message"),
  ];
};

/** Texts of a message that are not filled. */
const fixedTexts: ReadonlySet<string> = new Set(["mediaUrl", "url"]);

/** Braces in the texts of a message that no recipient's variables fill. The body is bounded. */
function findFixedBraces(value: unknown, path: string): Issue[] {
  if (typeof value === "string") {
    const isFixed = fixedTexts.has(path.slice(path.lastIndexOf(".") + 1));
    if (isFixed && value.includes("{{")) return [{ path, message: "must not have variables" }];
    const stray = findStrayBraces(value);
    return stray === null ? [] : [{ path, message: describeStrayBraces(stray) }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).slice(0, maxMembers).flatMap(([key, member]) =>
    findFixedBraces(member, `${path}.${key}`)
  );
}

/** Most members of a part of a message that are looked at: more than any part may have. */
const maxMembers = 100;

const checkTimes: CrossCheck = ({ startAt, expiresAt }) => {
  const endsAt = Date.parse(String(expiresAt));
  if (endsAt <= Date.now()) return [{ path: "expiresAt", message: "must be in the future" }];
  return endsAt <= Date.parse(String(startAt))
    ? [{ path: "expiresAt", message: "must be after startAt" }]
    : [];
};

/** POST /functions/v1/batches-api/batches/:id/recipients. */
export const addRecipientsSchema = z.object({
  ...instanceField,
  recipients: recipientsSchema,
  validation: validationSchema.optional(),
});

export const addedRecipientsSchema = addRecipientsSchema.extend({
  recipients: z.array(z.unknown()).max(1_000),
});

/** POST /functions/v1/batches-api/batches/:id/dry-run. */
export const dryRunSchema = z.object({
  ...instanceField,
  fromIndex: z.number().int().min(0).max(100_000).default(0),
  limit: z.number().int().min(1).max(10_000).default(10_000),
});

/** A POST that needs no body. */
export const changeBatchSchema = z.object(instanceField);

/** What may be done with a batch: the last part of the path. */
export const batchActions = ["start", "pause", "resume", "retry-failed", "cancel"] as const;

const statuses = ["draft", "running", "paused", "canceled", "finished"] as const;

/** GET /functions/v1/batches-api/batches. */
export const listBatchesSchema = pageSchema.extend({
  ...instanceField,
  order: orderSchema.optional(),
  status: z.enum(statuses).optional(),
});

const recipientStatuses = [
  ...["pending", "queued", "sent", "delivered", "read"] as const,
  ...["failed", "unconfirmed", "canceled", "expired", "skipped"] as const,
] as const;

/** GET /functions/v1/batches-api/batches/:id/recipients. */
export const listRecipientsSchema = z.object({
  ...instanceField,
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
  status: z.enum(recipientStatuses).optional(),
});

/** The end of a page of recipients, as a cursor encodes it. */
export const recipientPageEndSchema = z.object({ index: z.int().min(0).max(100_000) });

const issueSchema = z.object({ path: z.string(), message: z.string() });

const storedFields = {
  batchId: z.uuid(),
  status: z.enum(statuses),
  added: z.int().min(0),
  duplicates: z.array(z.object({ index: z.int().min(0), of: z.int().min(0) })),
  errors: z.array(z.object({ index: z.int().min(0), issues: z.array(issueSchema) })),
};

export const storedBatchResponseSchema = z.object({ ...successField, ...storedFields });

const warningsSchema = z.array(z.enum(["category_changes"]));

const costFields = {
  estimatedCost: estimatedCostSchema.nullable(),
  estimatedCostAfterChange: estimatedCostSchema.nullable(),
};

const dryRunFields = {
  summary: z.object({
    send: z.int().min(0),
    skip: z.record(z.string(), z.int().min(1)),
    firstScheduledFor: instantSchema.nullable(),
    lastScheduledFor: instantSchema.nullable(),
    days: z.int().min(0),
    windowOpen: z.int().min(0),
    freeEntryPoint: z.int().min(0),
    sentAs: z.object({
      message: z.int().min(0),
      direct_send: z.int().min(0),
      template: z.int().min(0),
      invitation: z.int().min(0),
    }),
  }),
  items: z.array(z.object({
    index: z.int().min(0),
    outcome: z.enum(["send", "skip"]),
    reason: z.string().nullable(),
    scheduledFor: instantSchema.nullable(),
  })),
  nextIndex: z.int().min(0).nullable(),
  warnings: warningsSchema,
  ...costFields,
};

export const dryRunResponseSchema = z.object({ ...successField, ...dryRunFields });

const errorSchema = z.object({ code: z.string(), message: z.string() });

const countSchema = z.int().min(0);

const batchFields = {
  batchId: z.uuid(),
  name: z.string().nullable(),
  status: z.enum(statuses),
  templateId: z.uuid().nullable(),
  purpose: z.enum(purposes),
  validation: validationSchema,
  intervalSeconds: z.number().positive(),
  startAt: instantSchema.nullable(),
  expiresAt: instantSchema.nullable(),
  recipientCount: countSchema,
  counts: z.object({
    pending: countSchema,
    queued: countSchema,
    awaitingReply: countSchema,
    sent: countSchema,
    delivered: countSchema,
    read: countSchema,
    failed: countSchema,
    unconfirmed: countSchema,
    canceled: countSchema,
    expired: countSchema,
    skipped: countSchema,
  }),
  firstScheduledFor: instantSchema.nullable(),
  lastScheduledFor: instantSchema.nullable(),
  createdAt: instantSchema,
  startedAt: instantSchema.nullable(),
  finishedAt: instantSchema.nullable(),
  pauseReason: z.enum(["template_refused", "account_restricted", "failures_in_row"]).nullable(),
  pauseError: errorSchema.nullable(),
  warnings: warningsSchema,
  ...costFields,
};

export const batchResponseSchema = z.object({ ...successField, ...batchFields });

export const batchListResponseSchema = z.object({
  ...successField,
  items: z.array(z.object(batchFields)),
  nextCursor: z.string().nullable(),
});

const recipientRecordSchema = z.object({
  index: countSchema,
  contactId: z.uuid().nullable(),
  phone: z.string().nullable(),
  status: z.enum(recipientStatuses),
  reason: z.string().nullable(),
  messageId: z.uuid().nullable(),
  cardId: z.string().nullable(),
  scheduledFor: instantSchema.nullable(),
  heldBy: heldBySchema.nullable(),
  ...holdFields,
  sentAt: instantSchema.nullable(),
  deliveredAt: instantSchema.nullable(),
  readAt: instantSchema.nullable(),
  lastError: errorSchema.nullable(),
});

export const recipientListResponseSchema = z.object({
  ...successField,
  items: z.array(recipientRecordSchema),
  nextCursor: z.string().nullable(),
});
