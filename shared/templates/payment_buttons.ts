/**
 * Buttons of templates that ask for a payment, and the payment that fills them (Meta: pages Order details
 * templates and Payment request CTA templates, Brazil).
 */
import type { Issue } from "../model/errors.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import { readText } from "../model/json_value.ts";
import { listPaymentMeans, type PaymentMeans, type PaymentPart } from "../model/payment.ts";
import { readPayment } from "../model/payment_reading.ts";
import { toPaymentPart } from "../model/requested_payment.ts";

/** The key of `variables` that fills these buttons. */
export const paymentKey = "payment";

/**
 * Whether a button asks for a payment: `ORDER_DETAILS` shows the whole order, a `PAYMENT_REQUEST` copies or opens
 * one way to pay, and shows neither amount nor reference.
 */
export function isPaymentButton({ type }: { readonly type: string }): boolean {
  return type === "ORDER_DETAILS" || type === "PAYMENT_REQUEST";
}

const meansOfSettings: Readonly<Record<string, PaymentMeans>> = {
  pix_dynamic_code: "pix",
  payment_link: "link",
  boleto: "boleto",
};

/** Meta's labels are fixed. */
const meansOfLabels: Readonly<Record<string, PaymentMeans>> = {
  "copy pix code": "pix",
  "open payment link": "link",
  "copy boleto code": "boleto",
};

/** The way to pay of a `PAYMENT_REQUEST` button, by its sample or else its label; undefined for another button. */
export function readPaymentMeans(
  type: string,
  label: string,
  setting: unknown,
): PaymentMeans | undefined {
  if (type !== "PAYMENT_REQUEST") return undefined;
  return meansOfSettings[readText(setting, "type") ?? ""] ??
    meansOfLabels[label.trim().toLowerCase()];
}

/**
 * What the buttons of a template ask to be paid: `variables.payment`, checked as that of a payment request, or `own`,
 * which the message asks for in whose place the template goes. Undefined for a template without such a button, and
 * where it is missing or refused.
 */
export function fillPaymentButtons(
  buttons: readonly { readonly type: string; readonly means?: PaymentMeans | undefined }[],
  given: unknown,
  own: PaymentPart | undefined,
  { missing, refuse }: {
    readonly missing: Set<string>;
    readonly refuse: (issue: Issue) => void;
  },
): PaymentPart | undefined {
  const asking = buttons.filter(isPaymentButton);
  if (asking.length === 0) return undefined;
  const isGiven = given !== undefined && given !== null;
  if (!isGiven && own === undefined) {
    missing.add(paymentKey);
    return undefined;
  }
  const { payment, issues } = own === undefined ? readPart(given) : { payment: own, issues: [] };
  const found = [
    ...issues,
    ...(isGiven && own !== undefined
      ? [{ path: paymentKey, message: "must not be given: the message asks for a payment" }]
      : []),
    ...(payment === undefined ? [] : findOtherMeans(asking, payment)),
  ];
  found.forEach(({ path, message }) => refuse({ path: `variables.${path}`, message }));
  return found.length > 0 ? undefined : payment;
}

function readPart(
  given: unknown,
): { readonly payment?: PaymentPart; readonly issues: readonly Issue[] } {
  const { payment, issues } = readPayment(given);
  return payment === null ? { issues } : { payment: toPaymentPart(payment), issues };
}

/** Ways to pay that have no button, and buttons whose way is not given. An order shows all that it has. */
function findOtherMeans(
  asking: readonly { readonly means?: PaymentMeans | undefined }[],
  payment: PaymentPart,
): Issue[] {
  const offered = asking.flatMap(({ means }) => means === undefined ? [] : [means]);
  if (offered.length < asking.length) return [];
  const given = listPaymentMeans(payment);
  return [
    ...offered.filter((means) => !given.includes(means)).map((means) => ({
      path: `${paymentKey}.${means}`,
      message: "is required: the template has a button for it",
    })),
    ...given.filter((means) => !offered.includes(means)).map((means) => ({
      path: `${paymentKey}.${means}`,
      message: "has no button in this template",
    })),
  ];
}

/** The template without its payment buttons: where it goes as text, they are its amount, link and line. */
export function withoutPaymentButtons(template: FilledTemplate): FilledTemplate {
  return { ...template, buttons: template.buttons.filter((button) => !isPaymentButton(button)) };
}
