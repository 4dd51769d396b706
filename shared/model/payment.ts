/** Payments that messages ask for: the words of their states, and their records. */
import * as z from "zod";
import type { PixKeyType } from "./br_code.ts";
import { instantSchema } from "./instant.ts";
import { type AnswerOf, messageContactSchema } from "./response_fields.ts";
import { type AskedPayment, type GoodsKind, paymentStatusSchema } from "./payment_status.ts";

/** A payment request as it is stored with its message. Amounts have two places. */
export interface PaymentPart {
  readonly kind: "request";
  readonly reference: string;
  readonly amount: string;
  readonly currency: "BRL";
  readonly goods: GoodsKind;
  readonly note?: string | undefined;
  readonly items?: readonly PaymentItem[] | undefined;
  readonly discount?: string | undefined;
  readonly shipping?: string | undefined;
  readonly tax?: string | undefined;
  readonly expiresAt?: string | undefined;
  /** Of a dynamic code the address of the charge. */
  readonly key?: string | undefined;
  readonly keyType?: PixKeyType | undefined;
  readonly receiver?: string | undefined;
  readonly isDynamic?: true | undefined;
  readonly pixCode?: string | undefined;
  readonly link?: string | undefined;
  /** Digits alone. */
  readonly boleto?: string | undefined;
}

export interface PaymentItem {
  readonly name: string;
  readonly quantity: number;
  /** Of one. */
  readonly price: string;
  readonly productId?: string | undefined;
}

/** The types of keys as the directory of Banco Central (DICT) names them, and both providers after it. */
export const bankKeyTypes: { readonly [Type in PixKeyType]: string } = {
  cpf: "CPF",
  cnpj: "CNPJ",
  email: "EMAIL",
  phone: "PHONE",
  random: "EVP",
};

/** The ways to pay, by the members of a request. */
export type PaymentMeans = "pix" | "link" | "boleto";

/** The ways to pay that a request offers. */
export function listPaymentMeans({ pixCode, link, boleto }: PaymentPart): PaymentMeans[] {
  return [
    ...(pixCode === undefined ? [] : ["pix"] as const),
    ...(link === undefined ? [] : ["link"] as const),
    ...(boleto === undefined ? [] : ["boleto"] as const),
  ];
}

/** What changes the price of the items. */
export const orderSumNames = ["discount", "shipping", "tax"] as const;

/** What the answer of a sending call says of the payment that its message asks for. */
export function describeAskedPayment({ reference, pixCode }: PaymentPart): AskedPayment {
  return { reference, status: "pending", ...(pixCode === undefined ? {} : { pixCode }) };
}

export const paymentRecordFields = {
  messageId: z.uuid(),
  reference: z.string(),
  amount: z.string(),
  currency: z.string(),
  status: paymentStatusSchema,
  codeMessageId: z.uuid().nullable(),
  createdAt: instantSchema,
  expiresAt: instantSchema.nullable(),
  paidAt: instantSchema.nullable(),
  changedAt: instantSchema.nullable(),
  contact: messageContactSchema.nullable(),
};

export type PaymentRecord = AnswerOf<z.ZodObject<typeof paymentRecordFields>>;
