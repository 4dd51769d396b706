/** Orders of the official channel in Brazil (pages Orders, Offsite Pix, Payment links, Boleto). */
import type { ContentOf } from "../../model/message_content.ts";
import { addItems, requireCents } from "../../model/money.ts";
import {
  bankKeyTypes,
  type PaymentItem,
  type PaymentMeans,
  type PaymentPart,
} from "../../model/payment.ts";
import type { PaymentStatus } from "../../model/payment_status.ts";
import { optionalMember } from "../http/provider_request.ts";

type Json = Record<string, unknown>;

/** Amounts are whole hundredths there, at most 12 digits of them. */
function toValue(cents: bigint): Json {
  return { value: Number(cents), offset: 100 };
}

function toAmount(amount: string | undefined): Json {
  return toValue(requireCents(amount ?? "0"));
}

/** `order_details`: what is ordered, and how it can be paid. A request without items is one item. */
export function toOrderDetails(
  { message, payment }: ContentOf<"payment_request">,
): Json {
  return {
    type: "order_details",
    body: { text: message },
    action: { name: "review_and_pay", parameters: toOrderParameters(payment) },
  };
}

/** The order itself, which a message and the button of a template have alike. */
export function toOrderParameters(payment: PaymentPart): Json {
  const { reference, amount, goods, note, items, discount, shipping, tax } = payment;
  const listed: readonly PaymentItem[] = items ??
    [{ name: note ?? reference, quantity: 1, price: amount }];
  const subtotal = addItems(
    listed.map(({ price, quantity }) => ({ cents: requireCents(price), quantity })),
  );
  return {
    reference_id: reference,
    type: `${goods}-goods`,
    payment_type: "br",
    currency: "BRL",
    total_amount: toAmount(amount),
    payment_settings: toPaymentSettings(payment),
    order: {
      status: "pending",
      ...optionalMember("expiration", toExpiration(payment)),
      items: listed.map(toItem),
      subtotal: toValue(subtotal),
      tax: toAmount(tax),
      ...(shipping === undefined ? {} : { shipping: toAmount(shipping) }),
      ...(discount === undefined ? {} : { discount: toAmount(discount) }),
    },
  };
}

function toItem({ name, quantity, price, productId }: PaymentItem, index: number): Json {
  return {
    retailer_id: productId ?? String(index + 1),
    name,
    amount: toAmount(price),
    quantity,
  };
}

/** In seconds, as a text. The description is shown beside it. */
function toExpiration({ expiresAt }: PaymentPart): Json | undefined {
  if (expiresAt === undefined) return undefined;
  const timestamp = String(Math.floor(Date.parse(expiresAt) / 1_000));
  return { timestamp, description: "Prazo para pagamento" };
}

function toPaymentSettings(
  { pixCode, key, keyType = "random", receiver, link, boleto }: PaymentPart,
): Json[] {
  const pix = { code: pixCode, merchant_name: receiver, key, key_type: bankKeyTypes[keyType] };
  return [
    // Its name says dynamic; the button copies any code.
    ...(pixCode === undefined ? [] : [{ type: "pix_dynamic_code", pix_dynamic_code: pix }]),
    ...(link === undefined ? [] : [{ type: "payment_link", payment_link: { uri: link } }]),
    ...(boleto === undefined ? [] : [{ type: "boleto", boleto: { digitable_line: boleto } }]),
  ];
}

/** What a template's button copies or opens (page Payment request CTA templates): of a Pix code nothing but the code. */
export function toPaymentSetting(
  { pixCode, link, boleto }: PaymentPart,
  means: PaymentMeans,
): Json {
  switch (means) {
    case "pix":
      return { type: "pix_dynamic_code", pix_dynamic_code: { code: pixCode } };
    case "link":
      return { type: "payment_link", payment_link: { uri: link } };
    case "boleto":
      return { type: "boleto", boleto: { digitable_line: boleto } };
  }
}

/** The states that the channel can show; see `tell_payment`, which lets others go as text. */
const orderStates: { readonly [Status in PaymentStatus]?: Json } = {
  paid: { order: { status: "processing" }, payment: { status: "captured" } },
  failed: { order: { status: "pending" }, payment: { status: "failed" } },
  canceled: { order: { status: "canceled" } },
};

/** `order_status`: what has become of an order that the person was shown. */
export function toOrderStatus(
  { message, paymentStatus: { reference, status } }: ContentOf<"payment_status">,
): Json {
  const parameters = { reference_id: reference, ...orderStates[status] };
  return {
    type: "order_status",
    body: { text: message },
    action: { name: "review_order", parameters },
  };
}
