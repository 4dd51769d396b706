import { askField, findAskIssues } from "../../shared/model/ask.ts";
import { askedFields } from "../../shared/model/asked_fields.ts";
import { callerFields } from "../../shared/model/caller_fields.ts";
import * as z from "zod";
import {
  batchRecordFields,
  batchWordsFields,
  dryRunFields,
  recipientRecordSchema,
  storedRecipientsFields,
} from "../../shared/model/batch_record.ts";
import {
  batchStatuses,
  batchValidations,
  recipientStatuses,
} from "../../shared/model/batch_states.ts";
import { variablesSchema } from "../../shared/model/bounded_fields.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { readText } from "../../shared/model/json_value.ts";
import { checkContent, messageFields } from "../../shared/model/message_request.ts";
import { fillablePaymentSchema, filledPaymentTexts } from "../../shared/model/fillable_payment.ts";
import { orderSchema, pageSchema } from "../../shared/model/page.ts";
import { describeStrayBraces, findStrayBraces } from "../../shared/model/placeholders.ts";
import { outsideWindowField } from "../../shared/model/outside_window.ts";
import { purposeSchema } from "../../shared/model/purpose.ts";
import {
  findRecipientIssues,
  findTemplateIssues,
  inOneLine,
  instanceIdSchema,
  pageSizeSchema,
  recipientFields,
  templateNameSchema,
} from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";
import {
  findPaymentIssues,
  paymentReferenceSchema,
  timingFields,
} from "../../shared/model/timing.ts";

const instanceField = { instanceId: instanceIdSchema.optional() };

/** One entry of a list: who is written to, and with which values. */
export const recipientSchema = z.object({
  ...recipientFields,
  variables: variablesSchema().optional(),
  ...callerFields,
});

export type RecipientRequest = z.infer<typeof recipientSchema>;

/** Requires exactly one of `phone`, `contactId` and `userId`. */
export const checkRecipient: CrossCheck = (recipient) => findRecipientIssues(recipient);

const recipientsSchema = z.array(recipientSchema).max(1_000);

const validationSchema = z.enum(batchValidations);

/** POST /functions/v1/batches-api/batches. */
export const createBatchSchema = z.object({
  ...instanceField,
  name: inOneLine(z.string().trim().min(1).max(200)).optional(),
  template: templateNameSchema.partial().extend({
    templateId: z.string().min(1).max(100).optional(),
  })
    .optional(),
  message: z.object({ ...messageFields, payment: fillablePaymentSchema.optional() }).optional(),
  purpose: purposeSchema,
  intervalSeconds: z.number().int().min(10).max(3_600).optional(),
  startAt: storableInstantSchema.optional(),
  expiresAt: storableInstantSchema.optional(),
  validation: validationSchema.default("strict"),
  dryRun: z.boolean().optional(),
  ...outsideWindowField,
  cancelOn: timingFields.cancelOn,
  paymentReference: z.string().trim().min(1).max(100).optional(),
  ...askField,
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
  ...findPaymentIssues(request),
  ...checkReference(request),
  ...checkAsk(request),
];

/** A question stands beside the message, whose texts alone are filled. */
const checkAsk: CrossCheck = ({ ask, message }) => {
  const asking = typeof message === "object"
    ? message as Readonly<Record<string, unknown>> | null
    : null;
  const issues = findAskIssues(ask, asking)
    .map((issue) => issue.path === "message" ? { ...issue, path: "message.message" } : issue);
  const { reminder, onInvalid } = (ask ?? {}) as Readonly<Record<string, unknown>>;
  const filled = Object.entries({ reminder, onInvalid })
    .filter(([, text]) => typeof text === "string" && text.includes("{{"))
    .map(([name]) => ({ path: `ask.${name}`, message: "must not have variables" }));
  return [...issues, ...filled];
};

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
const paymentPath = "message.payment.";

/** Braces in the texts of a message that no recipient's variables fill. The body is bounded. */
function findFixedBraces(value: unknown, path: string): Issue[] {
  if (typeof value === "string") {
    const isFixed = path.startsWith(paymentPath)
      ? !filledPaymentTexts.includes(path.slice(paymentPath.length))
      : fixedTexts.has(path.slice(path.lastIndexOf(".") + 1));
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

/** A reference with variables is checked as each recipient's is filled. */
const checkReference: CrossCheck = ({ paymentReference }) => {
  if (typeof paymentReference !== "string") return [];
  const path = "paymentReference";
  const stray = findStrayBraces(paymentReference);
  if (stray !== null) return [{ path, message: describeStrayBraces(stray) }];
  const read = paymentReferenceSchema.safeParse(paymentReference);
  if (paymentReference.includes("{{") || read.success) return [];
  return [{ path, message: read.error.issues[0]?.message ?? "" }];
};

const checkTimes: CrossCheck = ({ startAt, expiresAt, message }) => {
  const payableUntil = readText(message, "payment", "expiresAt") ?? "";
  const begins = Math.max(Date.now(), Date.parse(String(startAt)) || 0);
  if (Date.parse(payableUntil) < begins + leastPaymentMs) {
    const late = "must be at least 5 minutes ahead, and after startAt";
    return [{ path: "message.payment.expiresAt", message: late }];
  }
  const endsAt = Date.parse(String(expiresAt));
  if (endsAt <= Date.now()) return [{ path: "expiresAt", message: "must be in the future" }];
  return endsAt <= Date.parse(String(startAt))
    ? [{ path: "expiresAt", message: "must be after startAt" }]
    : [];
};

/** How long a person has at least to pay, as `add_payments` judges it of a single message. */
const leastPaymentMs = 5 * 60_000;

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

/** GET /functions/v1/batches-api/batches. */
export const listBatchesSchema = pageSchema.extend({
  ...instanceField,
  order: orderSchema.optional(),
  status: z.enum(batchStatuses).optional(),
});

/** GET /functions/v1/batches-api/batches/:id/recipients. */
export const listRecipientsSchema = z.object({
  ...instanceField,
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
  status: z.enum(recipientStatuses).optional(),
});

/** The end of a page of recipients, as a cursor encodes it. */
export const recipientPageEndSchema = z.object({ index: z.int().min(0).max(100_000) });

export const storedBatchResponseSchema = z.object({
  ...successField,
  ...storedRecipientsFields,
  notifySecret: askedFields.notifySecret,
});

export const dryRunResponseSchema = z.object({ ...successField, ...dryRunFields });

export const batchResponseSchema = z.object({ ...successField, ...batchRecordFields });

/** GET /functions/v1/batches-api/batches/:id. */
export const readBatchResponseSchema = batchResponseSchema.extend(batchWordsFields);

export const batchListResponseSchema = z.object({
  ...successField,
  items: z.array(z.object(batchRecordFields)),
  nextCursor: z.string().nullable(),
});

export const recipientListResponseSchema = z.object({
  ...successField,
  items: z.array(recipientRecordSchema),
  nextCursor: z.string().nullable(),
});
