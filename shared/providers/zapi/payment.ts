/** Payment requests as Z-API sends them (pages send-order, send-button-pix). */
import type { PixKeyType } from "../../model/br_code.ts";
import type { ContentOf, MessageContent } from "../../model/message_content.ts";
import { bankKeyTypes, orderSumNames, type PaymentPart } from "../../model/payment.ts";
import { optionalMember } from "../http/provider_request.ts";

/** As send-order names the types of keys; send-button-pix has the names of `bankKeyTypes`. */
const orderKeyTypes: { readonly [Type in PixKeyType]: string } = {
  cpf: "cpf",
  cnpj: "cnpj",
  email: "email",
  phone: "phone",
  random: "randomKey",
};

/** Whether Z-API has a form of its own for it: both of its calls take a key, no code. */
export function hasOwnPaymentForm(content: MessageContent): boolean {
  return content.messageType === "payment_request" && content.payment.key !== undefined &&
    content.payment.isDynamic !== true;
}

/** What its own form does not carry. The button has neither an amount nor a reference. */
export function listLostOfPayment({ payment }: ContentOf<"payment_request">): string[] {
  const lost = payment.items === undefined
    ? ["amount", "description", "expiresAt", "link", "boleto"]
    : ["description", "expiresAt", "link", "boleto"];
  const given: Readonly<Record<string, unknown>> = { ...payment, description: payment.note };
  return [
    "message",
    "payment.reference",
    ...lost.filter((field) => given[field] !== undefined).map((field) => `payment.${field}`),
  ];
}

/** An order where items are given, else the button with the key. Values are reais as plain numbers. */
export function toPaymentVerb({ payment }: ContentOf<"payment_request">): {
  readonly verb: string;
  readonly members: Readonly<Record<string, unknown>>;
} {
  const { key, keyType = "random", receiver, items } = payment;
  if (items === undefined) {
    return {
      verb: "send-button-pix",
      members: {
        pixKey: key,
        type: bankKeyTypes[keyType],
        ...optionalMember("merchantName", receiver),
      },
    };
  }
  const pix = { key, keyType: orderKeyTypes[keyType], name: receiver };
  return {
    verb: "send-order",
    members: {
      order: {
        currency: "BRL",
        products: items.map(({ name, price, quantity, productId }) => ({
          name,
          value: Number(price),
          quantity,
          ...optionalMember("productId", productId),
        })),
        ...toSums(payment),
      },
      paymentSettings: { pix, card: { enabled: false } },
    },
  };
}

function toSums(payment: PaymentPart): Readonly<Record<string, number>> {
  return Object.fromEntries(
    orderSumNames.flatMap((name) => {
      const amount = payment[name];
      return amount === undefined ? [] : [[name, Number(amount)]];
    }),
  );
}
