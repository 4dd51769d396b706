import { AppError } from "../model/errors.ts";
import type { Instance } from "../model/instance.ts";
import { readTemplateDefinition } from "../templates/definition.ts";
import { isPaymentButton } from "../templates/payment_buttons.ts";
import { findIgnoredVariables, listVariableKeys } from "../templates/variable_keys.ts";
import type { PaymentPart } from "../model/payment.ts";
import { fillTemplate } from "../templates/variables.ts";
import type { ContactFacts } from "../database/rpcs/templates.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import type { StoredTemplate } from "../database/rpcs/templates.ts";

/** A template and the instance that sends it. */
export interface ReadyTemplate {
  readonly template: StoredTemplate;
  readonly instance: Instance;
}

/**
 * Checks that the instance may send the template, in the order of decisions, section 8.
 *
 * @throws {AppError} the first failed check.
 */
export function checkTemplate(
  template: StoredTemplate | null,
  instance: Instance | null,
  request: { readonly instanceId?: string | undefined },
): ReadyTemplate {
  if (template === null) throw new AppError("Template not found");
  const isForeign = isOfAnotherInstance(template, instance);
  // "Template does not belong to this instance" would refer to an instance that the request does
  // not name.
  if (isForeign && request.instanceId === undefined) throw new AppError("Template not found");
  if (instance === null) throw new AppError("Instance not found");
  if (isForeign) throw new AppError("Template does not belong to this instance");
  if (instance.gatewayInstanceId === null) {
    throw new AppError("provider_outbound_channel_not_configured");
  }
  if (instance.providerClass === "official") checkApproval(template);
  return { template, instance };
}

function isOfAnotherInstance(template: StoredTemplate, instance: Instance | null): boolean {
  return template.instanceId !== null && template.instanceId !== instance?.instanceId;
}

/**
 * Checks that a template which a call names beside its message is one that the instance may send, once it can be
 * sent at all.
 *
 * @throws {AppError} `Template not found`, `Template does not belong to this instance`.
 */
export function checkTemplateOwner(
  template: StoredTemplate | null,
  instance: Instance,
): StoredTemplate {
  if (template === null) throw new AppError("Template not found");
  if (isOfAnotherInstance(template, instance)) {
    throw new AppError("Template does not belong to this instance");
  }
  return template;
}

/** Applies to the official channel only, because gateways have no templates. */
function checkApproval({ providerTemplateId, providerStatus }: StoredTemplate): void {
  if (providerTemplateId === null) throw new AppError("template_not_synced_with_provider");
  if (providerStatus === "APPROVED") return;
  throw new AppError("template_not_approved", {
    message: `The template's providerStatus is ${providerStatus ?? "not known"}; only APPROVED ` +
      "templates can be sent.",
  });
}

/**
 * Fills the variables of the template. `ownPayment`: as of `fillTemplate`.
 *
 * @throws {AppError} `missing_variables` with `missing`; `invalid_request` for values that are not
 * texts, for an invalid header URL, and for a template with parts that no variable can fill.
 */
export function fillStoredTemplate(
  { parameterFormat, components }: StoredTemplate,
  variables: Readonly<Record<string, unknown>>,
  contact: ContactFacts,
  ownPayment?: PaymentPart,
): FilledTemplate {
  const read = readTemplateDefinition(parameterFormat, components);
  if (!read.ok) {
    const message = `this template cannot be sent: ${read.reason}`;
    throw new AppError("invalid_request", { issues: [{ path: "templateId", message }] });
  }
  const { template, missing, issues } = fillTemplate(
    read.definition,
    variables,
    contact,
    ownPayment,
  );
  if (missing.length > 0) throw new AppError("missing_variables", { body: { missing } });
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
  return template;
}

/** The keys of `variables` that the template takes; none where it cannot be filled at all. */
export function listTemplateKeys(
  { parameterFormat, components }: StoredTemplate,
): ReadonlySet<string> {
  const read = readTemplateDefinition(parameterFormat, components);
  return read.ok ? listVariableKeys(read.definition) : new Set();
}

/** Whether a button of the template asks for a payment. */
export function asksForPayment({ parameterFormat, components }: StoredTemplate): boolean {
  const read = readTemplateDefinition(parameterFormat, components);
  return read.ok && read.definition.buttons.some(isPaymentButton);
}

/** The paths of a call's variables that its template does not take, below `prefix`. */
export function findIgnoredOfTemplate(
  template: StoredTemplate,
  variables: Readonly<Record<string, unknown>> = {},
  prefix = "variables",
): string[] {
  return findIgnoredVariables(variables, listTemplateKeys(template)).map((name) =>
    `${prefix}.${name}`
  );
}
