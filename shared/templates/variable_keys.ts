/** Which variables a template takes, and which of a call's nothing takes. */
import { listIgnoredOfPayment } from "../model/payment_reading.ts";
import { isNumbered, listPlaceholders } from "../model/placeholders.ts";
import type { TemplateDefinition } from "./definition.ts";
import { isPaymentButton, paymentKey } from "./payment_buttons.ts";

type Variables = Readonly<Record<string, unknown>>;

/** Told the paths of fields that a call gives in vain. */
export type NoteIgnored = (paths: readonly string[]) => void;

/** The keys of `variables` that can fill something in the template: see `fillTemplate`. */
export function listVariableKeys(
  { header, body, buttons }: TemplateDefinition,
): ReadonlySet<string> {
  return new Set([
    ...listHeaderKeys(header),
    ...listPlaceholders(body),
    ...buttons.flatMap(({ type, url }, index) => {
      const key = `button_${index + 1}`;
      if (type === "QUICK_REPLY" || type === "FLOW") return [`${key}_payload`];
      if (isPaymentButton({ type })) return [paymentKey];
      return type === "URL" && listPlaceholders(url ?? "").length > 0 ? [key] : [];
    }),
  ]);
}

function listHeaderKeys(header: TemplateDefinition["header"]): string[] {
  if (header === null) return [];
  if (header.format !== "TEXT") return ["header"];
  const [first, ...others] = listPlaceholders(header.text);
  if (first === undefined) return [];
  return ["header", ...(isNumbered(first) ? [] : [first]), ...others];
}

/**
 * The names of the variables that are given, and that nothing takes, and the paths of the members that the payment
 * among them does not have. Null is not given.
 */
export function findIgnoredVariables(variables: Variables, taken: ReadonlySet<string>): string[] {
  const unknown = Object.keys(variables)
    .filter((name) => (variables[name] ?? null) !== null && !taken.has(name));
  const ofPayment = taken.has(paymentKey) ? listIgnoredOfPayment(variables[paymentKey]) : [];
  return [...unknown, ...ofPayment];
}
