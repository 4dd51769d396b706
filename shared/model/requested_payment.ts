/** A payment request as a call gives it, its rules, and the part that is stored of it. */
import * as z from "zod";
import { shortTextSchema } from "./bounded_fields.ts";
import { boletoDigits, isBoletoLine } from "./boleto.ts";
import {
  buildStaticCode,
  checkBrCode,
  findPixKeyFault,
  foldToAscii,
  longestBrCode,
  merchantLengths,
  normalizePixKey,
  pixKeyTypeOf,
  pixKeyTypes,
} from "./br_code.ts";
import type { Issue } from "./errors.ts";
import { storableInstantSchema } from "./instant.ts";
import { addOrder, readCents, requireCents, writeAmount } from "./money.ts";
import { orderSumNames, type PaymentPart } from "./payment.ts";
import { goodsKinds } from "./payment_status.ts";
import { findUrlProblem } from "./public_url.ts";
import { describeField, visibleTextSchema } from "./request_fields.ts";
import { paymentReferenceSchema } from "./timing.ts";

const amountError = "must be an amount of reais, such as 129.90";

/** At most ten digits before the point, as codes hold no more. */
function amountSchema(description: string): z.ZodString {
  return z.string().max(13, { error: amountError, abort: true }).refine(
    (text) => readCents(text) !== null,
    amountError,
  ).meta({ description });
}

export const paymentRequestSchema = z.object({
  reference: describeField(
    "Your own name for the payment, unique on the instance while it is open.",
    paymentReferenceSchema,
  ),
  amount: amountSchema("What is to be paid, in reais: `129.90`."),
  description: describeField("What it is for.", visibleTextSchema(1_000)).optional(),
  items: describeField(
    "What is ordered. With `discount`, `shipping` and `tax` it must add up to `amount`.",
    z.array(z.object({
      name: describeField("Name of the item.", visibleTextSchema(1_000)),
      quantity: describeField("How many.", z.number().int().min(1).max(1_000_000)),
      amount: amountSchema("Price of one."),
      productId: describeField("Your own id of the product.", shortTextSchema(100)).optional(),
    })).min(1).max(100),
  ).optional(),
  discount: amountSchema("Taken off the items.").optional(),
  shipping: amountSchema("Shipping, added.").optional(),
  tax: amountSchema("Tax, added.").optional(),
  goods: describeField("What is sold. Default: `digital`.", z.enum(goodsKinds)).optional(),
  expiresAt: describeField(
    "Until when it can be paid, at least 5 minutes ahead: then it is `expired`.",
    storableInstantSchema,
  ).optional(),
  pix: describeField(
    "A Pix code, or the key for which the service builds one.",
    z.object({
      code: describeField("The code to copy, whole.", z.string().min(1).max(2 * longestBrCode))
        .optional(),
      key: describeField("Key of the receiver.", z.string().min(1).max(100)).optional(),
      keyType: describeField("Type of the key.", z.enum(pixKeyTypes)).optional(),
      merchantName: describeField(
        "Name of the receiver. The code has room for 25 letters without accents.",
        visibleTextSchema(200),
      ).optional(),
      merchantCity: describeField("City of the receiver; 15 letters.", visibleTextSchema(200))
        .optional(),
    }),
  ).optional(),
  link: describeField("Page where it can be paid, https.", z.string().min(1).max(2_048)).optional(),
  boleto: describeField("The boleto's line, with or without dots.", z.string().min(1).max(80))
    .optional(),
}).meta({
  description: "What is to be paid, and how: at least one of `pix`, `link` and `boleto`.",
});

export type PaymentRequest = z.infer<typeof paymentRequestSchema>;

/** What is against the rules between the fields. Nothing is found in what is not of its form: that is told already. */
export function checkPayment(given: unknown): Issue[] {
  if (given === undefined) return [];
  const parsed = paymentRequestSchema.safeParse(given);
  return parsed.success ? findPaymentFaults(parsed.data) : [];
}

/** What is against the rules between the fields of a request that is of its form. */
export function findPaymentFaults(payment: PaymentRequest): Issue[] {
  const { pix, link, boleto } = payment;
  const cents = requireCents(payment.amount);
  const issues = [
    ...(cents > 0n ? [] : [{ path: "amount", message: "must be more than 0" }]),
    ...(pix === undefined && link === undefined && boleto === undefined
      ? [{ path: "pix", message: "is required, or link or boleto" }]
      : []),
    ...checkSums(payment, cents),
    ...(pix === undefined ? [] : checkPix(pix, cents)),
    ...checkLink(link),
    ...(boleto === undefined || isBoletoLine(boletoDigits(boleto)) ? [] : [{
      path: "boleto",
      message: "is no line of a boleto: 47 or 48 digits, with right check digits",
    }]),
  ];
  return issues.map(({ path, message }) => ({ path: `payment.${path}`, message }));
}

function checkSums(payment: PaymentRequest, cents: bigint): Issue[] {
  const { items } = payment;
  if (items === undefined) {
    return orderSumNames
      .filter((field) => payment[field] !== undefined)
      .map((path) => ({ path, message: "needs items" }));
  }
  const sum = addOrder(toSums(payment, items));
  if (sum === cents) return [];
  const told = sum < 0n ? "less than 0" : writeAmount(sum);
  return [{
    path: "amount",
    message: `does not agree with items, discount, shipping and tax, which are ${told}`,
  }];
}

function toSums(
  { discount, shipping, tax }: Pick<PaymentRequest, "discount" | "shipping" | "tax">,
  items: NonNullable<PaymentRequest["items"]>,
): Parameters<typeof addOrder>[0] {
  return {
    items: items.map(({ amount, quantity }) => ({ cents: requireCents(amount), quantity })),
    discountCents: requireCents(discount ?? "0"),
    shippingCents: requireCents(shipping ?? "0"),
    taxCents: requireCents(tax ?? "0"),
  };
}

const keyFields = ["key", "keyType", "merchantName", "merchantCity"] as const;

function checkPix(pix: NonNullable<PaymentRequest["pix"]>, cents: bigint): Issue[] {
  if (pix.code !== undefined) {
    const { fault } = checkBrCode(pix.code, cents);
    return [
      ...(fault === undefined ? [] : [{ path: "pix.code", message: fault }]),
      ...keyFields.filter((field) => pix[field] !== undefined).map((field) => ({
        path: `pix.${field}`,
        message: "cannot be sent with code: send one of them",
      })),
    ];
  }
  const missing = keyFields.filter((field) => pix[field] === undefined).map((field) => ({
    path: `pix.${field}`,
    message: field === "key" ? "is required, or code" : "is required beside key",
  }));
  if (missing.length > 0) return missing;
  const { key = "", keyType = "random" } = pix;
  const fault = findPixKeyFault(normalizePixKey(key, keyType), keyType);
  return [
    ...(fault === null ? [] : [{ path: "pix.key", message: fault }]),
    ...(["merchantName", "merchantCity"] as const)
      .filter((field) => !/[A-Za-z0-9]/.test(foldToAscii(pix[field] ?? "", merchantLengths[field])))
      .map((field) => ({ path: `pix.${field}`, message: "has no letter that a code can hold" })),
  ];
}

function checkLink(link: string | undefined): Issue[] {
  if (link === undefined) return [];
  const message = findUrlProblem(link, { field: "link" });
  return message === null ? [] : [{ path: "link", message }];
}

/** The part that is stored of a request in which `findPaymentFaults` finds nothing: its code built, its amounts alike. */
export function toPaymentPart(payment: PaymentRequest): PaymentPart {
  const { reference, description, goods, expiresAt, pix, link, boleto } = payment;
  const items = payment.items?.map(({ name, quantity, amount, productId }) =>
    dropUndefined({ name, quantity, price: normalize(amount), productId })
  );
  return dropUndefined({
    kind: "request" as const,
    reference,
    amount: normalize(payment.amount),
    currency: "BRL" as const,
    goods: goods ?? "digital",
    note: description,
    items,
    discount: normalizeOptional(payment.discount),
    shipping: normalizeOptional(payment.shipping),
    tax: normalizeOptional(payment.tax),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    ...(pix === undefined ? {} : readPix(payment, pix)),
    link,
    boleto: boleto === undefined ? undefined : boletoDigits(boleto),
  });
}

function readPix(
  { amount, reference }: PaymentRequest,
  { code, key = "", keyType = "random", merchantName = "", merchantCity = "" }: NonNullable<
    PaymentRequest["pix"]
  >,
): Pick<PaymentPart, "key" | "keyType" | "receiver" | "isDynamic" | "pixCode"> {
  if (code === undefined) {
    const normal = normalizePixKey(key, keyType);
    const cents = requireCents(amount);
    const pixCode = buildStaticCode({ key: normal, merchantName, merchantCity, cents, reference });
    return { key: normal, keyType, receiver: merchantName, pixCode };
  }
  const { code: read } = checkBrCode(code);
  if (read === undefined) throw new Error("a validated Pix code is invalid");
  const isDynamic = read.kind === "dynamic" ? true : undefined;
  return {
    key: read.key,
    keyType: isDynamic === true ? "random" : pixKeyTypeOf(read.key),
    receiver: read.merchantName,
    isDynamic,
    pixCode: code,
  };
}

function normalize(amount: string): string {
  return writeAmount(requireCents(amount));
}

function normalizeOptional(amount: string | undefined): string | undefined {
  return amount === undefined ? undefined : normalize(amount);
}

function dropUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Value;
}
