/** The states of payments, and what answers say of one that a message asks for. */
import * as z from "zod";

export const paymentStatuses = [
  ...["pending", "paid", "failed", "canceled", "expired", "refunded"] as const,
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** What a call may say of a payment; that one has expired the service says itself. */
export const toldPaymentStatuses = [
  ...["paid", "pending", "failed", "canceled", "refunded"] as const,
] as const;
export type ToldPaymentStatus = (typeof toldPaymentStatuses)[number];

/** What is sold, as the official channel wants to know. */
export const goodsKinds = ["digital", "physical"] as const;
export type GoodsKind = (typeof goodsKinds)[number];

export const paymentStatusSchema = z.enum(paymentStatuses).meta({
  description:
    "Status of the payment: `pending` until you say otherwise. Only `expired` comes by itself, by `expiresAt`: no channel tells what was paid.",
});

/** What a message about a payment's new status says beside its words. */
export const paymentStatusPartSchema = z.object({
  reference: z.string().meta({ description: "Reference of the payment." }),
  status: paymentStatusSchema,
}).meta({ description: "The payment of which the message tells, with its new status." });

const askedPaymentSchema = z.object({
  reference: z.string().meta({ description: "Your own name for the payment." }),
  status: paymentStatusSchema,
  pixCode: z.string().optional().meta({
    description: "The Pix code to copy: as given, or built from the key.",
  }),
}).meta({ description: "The payment that the message asks for." });
export type AskedPayment = z.infer<typeof askedPaymentSchema>;

/** Left out where the message asks for none. */
export const askedPaymentField = { payment: askedPaymentSchema.optional() };
