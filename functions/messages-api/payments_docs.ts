import {
  demoContact,
  demoInstanceRef,
  demoPaymentReference,
  demoQueuedMessageId,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { paymentTexts, textsBelow } from "../../shared/openapi/record_texts.ts";
import { paymentReferenceSchema } from "../../shared/model/timing.ts";
import {
  changePaymentResponseSchema,
  changePaymentSchema,
  listPaymentsSchema,
  paymentsResponseSchema,
} from "./payments_contract.ts";

const pending = {
  messageId: demoSentMessageId,
  reference: demoPaymentReference,
  amount: "129.90",
  currency: "BRL",
  status: "pending",
  codeMessageId: null,
  createdAt: "2026-11-23T12:58:41.000Z",
  expiresAt: "2026-11-24T12:58:41.000Z",
  paidAt: null,
  changedAt: null,
  contact: demoContact,
};

const paid = {
  ...pending,
  status: "paid",
  paidAt: "2026-11-23T13:10:00.000Z",
  changedAt: "2026-11-23T13:10:02.000Z",
};

const changeFields = {
  ...paymentTexts,
  status: "What you know of it, from your bank or payment provider.",
  paidAt: "When it was paid. Default: now.",
  tell:
    "`true`, or words of your own, tell the person: by an `order_status` of the official channel, inside the window, or by a text. Only where the status has changed.",
  told: "What was told; null where nobody was to be told, or nothing had changed.",
  "told.messageId": "Id of the message; null where it may not be sent.",
  "told.reason":
    "Why there is none: `outside_conversation_window`, `contact_blocked` or `message_not_found`; else null.",
};

const change = {
  method: "POST",
  tag: "Messages",
  description:
    'Records what you know: no channel tells what was paid. A payment goes forward alone: `pending` to `paid`, `failed` or `canceled`; `failed` or `expired` to `paid`; `paid` to `refunded`. The same status again changes nothing. What waits with `cancelOn: ["payment"]` for this reference is canceled by `paid` and `canceled`. Told as `payment.changed`.',
  access: "clientToken",
  body: changePaymentSchema,
  isIdempotent: true,
  success: { description: "The payment.", schema: changePaymentResponseSchema },
  fields: changeFields,
} as const;

/** What clients do with payments. */
export const paymentOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/payments",
    operationId: "listPayments",
    tag: "Messages",
    summary: "List payment requests",
    description:
      "Pages of the payments that messages have asked for, oldest first. All filters can be combined.",
    access: "clientToken",
    query: listPaymentsSchema,
    success: { description: "A page of payments.", schema: paymentsResponseSchema },
    errors: [],
    fields: {
      ...textsBelow("items", paymentTexts),
      status: "Only payments with this status.",
      reference: "Only payments of this reference.",
      contactId: "Only payments of this contact.",
      since: "Only payments asked for from this instant on.",
      until: "Only payments asked for up to this instant.",
    },
    examples: [{
      name: "pending",
      summary: "What is not paid yet",
      request: { instanceId: demoInstanceRef, status: "pending" },
      response: { success: true, items: [pending], nextCursor: null },
    }],
  },
  {
    ...change,
    path: "/messages/:id/payment",
    operationId: "changePayment",
    summary: "Say what has become of a payment",
    pathParameters: {
      id: {
        description: "`messageId` of the message that asks for it, or its `providerMessageId`.",
        example: demoSentMessageId,
      },
    },
    errors: ["message_not_found", "payment_not_found", "payment_state"],
    examples: [{
      name: "paid",
      summary: "The bank has told that it is paid",
      request: { instanceId: demoInstanceRef, status: "paid", tell: true },
      response: {
        success: true,
        ...paid,
        told: { messageId: demoQueuedMessageId, reason: null },
      },
    }],
  },
  {
    ...change,
    path: "/payments/:reference",
    operationId: "changePaymentByReference",
    summary: "Say what has become of a payment, by your reference",
    pathParameters: {
      reference: {
        description:
          "Your reference: its open payment, else the newest. A payment provider's webhook can be sent on to it.",
        example: demoPaymentReference,
        schema: paymentReferenceSchema,
      },
    },
    errors: ["payment_not_found", "payment_state"],
    examples: [{
      name: "paid",
      summary: "A payment provider's webhook, sent on",
      request: {
        instanceId: demoInstanceRef,
        status: "paid",
        paidAt: "2026-11-23T13:10:00.000Z",
      },
      response: { success: true, ...paid, told: null },
    }],
  },
];
