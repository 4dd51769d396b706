/** Checks whether the official channel sends a template with the given values. */
import type { SimulatedTemplate } from "../records.ts";
import { describeFault, type GraphError } from "./errors.ts";
import type { TemplateLibrary } from "./template_library.ts";
import type { SimulatedTemplateRecord, TemplateStatus } from "./template_record.ts";

/** A paused or disabled template has its own code. Any other unapproved one counts as missing. */
const codes: Readonly<Record<Exclude<TemplateStatus, "APPROVED">, number>> = {
  PENDING: 132001,
  REJECTED: 132001,
  PAUSED: 132015,
  DISABLED: 132016,
};

/**
 * Meta's refusal of a template that is unknown, not approved or filled incorrectly; else undefined.
 */
export function checkTemplateMessage(
  library: TemplateLibrary,
  sent: SimulatedTemplate,
): GraphError | undefined {
  const { name, language } = sent;
  const known = library.find(name, language);
  const approved = known.filter(({ status }) => status === "APPROVED");
  if (approved.length === 0) {
    const status = known.at(-1)?.status;
    const code = status === undefined || status === "APPROVED" ? 132001 : codes[status];
    const details = code === 132001
      ? `template name (${name}) does not exist in ${language}`
      : `template name (${name}) in ${language} is ${status?.toLowerCase()}`;
    return { ...describeFault(code), details };
  }
  const mismatches = approved.map((template) => findCountMismatch(template, sent));
  const fitting = approved.filter((_, index) => mismatches[index] === undefined);
  if (fitting.length === 0) return { ...describeFault(132000), details: mismatches[0] };
  const flaws = fitting.map((template) => findPaymentFlaw(template, sent));
  return flaws.includes(undefined) ? undefined : { ...describeFault(131008), details: flaws[0] };
}

/** Names a payment button without what it is to show, and a payment without its button. */
function findPaymentFlaw(
  template: SimulatedTemplateRecord,
  sent: SimulatedTemplate,
): string | undefined {
  const buttons = template.components.find(({ type }) => type === "BUTTONS")?.["buttons"] ?? [];
  const needed = (buttons as readonly { readonly type: string }[])
    .flatMap(({ type }, index) => paymentTypes.includes(type) ? [`${type} ${index}`] : []);
  const given = (sent.components as readonly {
    readonly sub_type?: string;
    readonly index?: string | number;
  }[]).map(({ sub_type = "", index }) => `${sub_type.toUpperCase()} ${index}`)
    .filter((button) => paymentTypes.some((type) => button.startsWith(`${type} `)));
  return [
    ...needed.filter((button) => !given.includes(button)),
    ...given.filter((button) => !needed.includes(button)),
  ].map((button) => `buttons: parameters of ${button} do not fit the template`)[0];
}

/** The buttons that ask for a payment. */
export const paymentTypes: readonly string[] = ["ORDER_DETAILS", "PAYMENT_REQUEST"];

/** Names a part whose number of values differs from the number of variables in its wording. */
function findCountMismatch(
  template: SimulatedTemplateRecord,
  sent: SimulatedTemplate,
): string | undefined {
  for (const part of ["HEADER", "BODY"]) {
    const component = template.components.find(({ type }) => type === part);
    if (part === "HEADER" && (component?.format ?? "TEXT") !== "TEXT") continue;
    const expected = countVariables(component?.text ?? "");
    const given = countParameters(sent.components, part.toLowerCase());
    if (given !== expected) {
      return `${part.toLowerCase()}: number of localizable_params (${given}) does not match the ` +
        `expected number of params (${expected})`;
    }
  }
  return undefined;
}

function countVariables(text: string): number {
  return new Set(Array.from(text.matchAll(/\{\{\s*(\w{1,100})\s*\}\}/g), ([, name]) => name)).size;
}

function countParameters(components: readonly unknown[], type: string): number {
  const component = components.find((candidate) =>
    (candidate as { readonly type: string }).type === type
  ) as { readonly parameters?: readonly unknown[] } | undefined;
  return component?.parameters?.length ?? 0;
}
