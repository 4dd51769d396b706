/** Payment requests with variables, which each recipient of a batch fills. */
import * as z from "zod";
import { type PaymentRequest, paymentRequestSchema } from "./requested_payment.ts";
import { describeField } from "./request_fields.ts";

/** A text that may have variables; one without is of its form. */
function fillable(schema: z.ZodType<string>): z.ZodString {
  return z.string().min(1).max(2_048).superRefine((text, { addIssue }) => {
    if (text.includes("{{")) return;
    for (const { message } of schema.safeParse(text).error?.issues ?? []) addIssue(message);
  }).meta({ description: schema.description });
}

const { reference, amount, description, link, boleto, pix } = paymentRequestSchema.shape;

/** A payment request that is filled for each recipient of a batch: see `fillPayment`. */
export const fillablePaymentSchema = describeField(
  "What is to be paid, and how. Its `reference`, `amount`, `description`, `link`, `boleto` and `pix.code` may hold `{{variables}}`.",
  paymentRequestSchema.extend({
    reference: fillable(reference),
    amount: fillable(amount),
    description: fillable(description.unwrap()).optional(),
    link: fillable(link.unwrap()).optional(),
    boleto: fillable(boleto.unwrap()).optional(),
    pix: describeField(
      pix.unwrap().description ?? "",
      pix.unwrap().extend({ code: fillable(pix.unwrap().shape.code.unwrap()).optional() }),
    ).optional(),
  }),
);

/** Paths below `payment` of the texts that `fillPayment` fills. */
export const filledPaymentTexts: readonly string[] = [
  ...["reference", "amount", "description", "link", "boleto", "pix.code"],
];

/** The request with its texts as `fill` gives them. */
export function fillPayment(
  payment: PaymentRequest,
  fill: (text: string) => string,
): PaymentRequest {
  const optional = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : fill(text);
  return {
    ...payment,
    reference: fill(payment.reference),
    amount: fill(payment.amount),
    description: optional(payment.description),
    link: optional(payment.link),
    boleto: optional(payment.boleto),
    pix: payment.pix && { ...payment.pix, code: optional(payment.pix.code) },
  };
}
