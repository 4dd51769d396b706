/** Payment requests with variables, which each recipient of a batch fills. */
import * as z from "zod";
import { type PaymentRequest, paymentRequestSchema } from "./requested_payment.ts";
import { describeField } from "./request_fields.ts";

/** The texts that may have variables, in the order in which they are filled. Everything here follows from them. */
const fillableTexts = {
  payment: ["reference", "amount", "description", "link", "boleto"],
  pix: ["code"],
} as const;

/** Paths below `payment` of the texts that `fillPayment` fills. */
export const filledPaymentTexts: readonly string[] = [
  ...fillableTexts.payment,
  ...fillableTexts.pix.map((name) => `pix.${name}`),
];

/** A text that may have variables; one without is of its form. */
function fillable(schema: z.ZodType): z.ZodType {
  return z.string().min(1).max(2_048).superRefine((text, { addIssue }) => {
    if (text.includes("{{")) return;
    for (const { message } of schema.safeParse(text).error?.issues ?? []) addIssue(message);
  }).meta({ description: schema.description });
}

/** The schema with these texts fillable: what it reads is of the same type. */
function withFillable<Schema extends z.ZodObject>(
  schema: Schema,
  names: readonly (keyof Schema["shape"] & string)[],
): Schema {
  const shape = Object.fromEntries(
    names.map((name) => {
      const field = schema.shape[name];
      return field instanceof z.ZodOptional
        ? [name, fillable(field.unwrap() as z.ZodType).optional()]
        : [name, fillable(field as z.ZodType)];
    }),
  );
  return schema.extend(shape) as unknown as Schema;
}

/** As a sentence lists them: `a`, `b` and `c`. */
function listNames(names: readonly string[]): string {
  const marked = names.map((name) => `\`${name}\``);
  return `${marked.slice(0, -1).join(", ")} and ${marked.at(-1)}`;
}

const pix = paymentRequestSchema.shape.pix.unwrap();

/** A payment request that is filled for each recipient of a batch: see `fillPayment`. */
export const fillablePaymentSchema = describeField(
  `What is to be paid, and how. Its ${listNames(filledPaymentTexts)} may hold \`{{variables}}\`.`,
  withFillable(paymentRequestSchema, fillableTexts.payment).extend({
    pix: describeField(pix.description ?? "", withFillable(pix, fillableTexts.pix)).optional(),
  }),
);

/** The request with its texts as `fill` gives them. */
export function fillPayment(
  payment: PaymentRequest,
  fill: (text: string) => string,
): PaymentRequest {
  const filled = fillTexts(payment, fillableTexts.payment, fill);
  if (payment.pix === undefined) return filled;
  return { ...filled, pix: fillTexts(payment.pix, fillableTexts.pix, fill) };
}

function fillTexts<Part extends object>(
  part: Part,
  names: readonly (keyof Part)[],
  fill: (text: string) => string,
): Part {
  const filled = names.flatMap((name) => {
    const text = part[name];
    return typeof text === "string" ? [[name, fill(text)]] : [];
  });
  return { ...part, ...Object.fromEntries(filled) };
}
