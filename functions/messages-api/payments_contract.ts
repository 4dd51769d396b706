import * as z from "zod";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { pageSchema } from "../../shared/model/page.ts";
import { paymentRecordFields } from "../../shared/model/payment.ts";
import { paymentStatuses, toldPaymentStatuses } from "../../shared/model/payment_status.ts";
import {
  idSchema,
  instanceIdSchema,
  visibleTextSchema,
} from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";
import { paymentReferenceSchema } from "../../shared/model/timing.ts";

/** POST /functions/v1/messages-api/messages/{id}/payment, and payments/{reference}. */
export const changePaymentSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  status: z.enum(toldPaymentStatuses),
  paidAt: storableInstantSchema.optional(),
  tell: z.union(
    [z.literal(true), visibleTextSchema(1_024)],
    "must be true, or a text of at most 1024 characters",
  ).optional(),
});

/** Only a payment that is paid has an instant of it. */
export const checkChangePayment: CrossCheck = ({ status, paidAt }) =>
  paidAt !== undefined && unpaidStatuses.includes(status)
    ? [{ path: "paidAt", message: "needs status paid" }]
    : [];

const unpaidStatuses: readonly unknown[] = toldPaymentStatuses.filter((told) => told !== "paid");

/** GET /functions/v1/messages-api/payments. */
export const listPaymentsSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
  status: z.enum(paymentStatuses).optional(),
  reference: paymentReferenceSchema.optional(),
  contactId: idSchema.optional(),
  since: storableInstantSchema.optional(),
  until: storableInstantSchema.optional(),
});

export const changePaymentResponseSchema = z.object({
  ...successField,
  ...paymentRecordFields,
  told: z.object({
    messageId: z.uuid().nullable(),
    reason: z.string().nullable(),
  }).nullable(),
});

export const paymentsResponseSchema = z.object({
  ...successField,
  items: z.array(z.object(paymentRecordFields)),
  nextCursor: z.string().nullable(),
});
