import { isPlainObject } from "../model/bounded_fields.ts";
import { isBlank } from "../model/visible_text.ts";
import type { ContactFacts } from "../database/rpcs/templates.ts";
import type {
  FilledButton,
  FilledHeader,
  FilledTemplate,
  FilledText,
} from "../model/filled_template.ts";
import type { Issue } from "../model/errors.ts";
import type { TemplateButton, TemplateDefinition } from "./definition.ts";
import { readHeaderMedia } from "./header_media.ts";
import { fillPaymentButtons, paymentKey } from "./payment_buttons.ts";
import { listVariableKeys } from "./variable_keys.ts";
import type { PaymentPart } from "../model/payment.ts";
import { fillText, isNumbered, listPlaceholders, maxFilledLength } from "../model/placeholders.ts";

export interface Filling {
  /** Complete only if nothing is missing and nothing is refused. */
  readonly template: FilledTemplate;
  /** Keys that `variables` lacks, in the template's order, each once. */
  readonly missing: readonly string[];
  /** Values that no channel carries; paths into the request. */
  readonly issues: readonly Issue[];
}

/**
 * Fills a template with `variables` (specification 4.7). Values are texts; numbers are converted; null
 * and blank texts count as missing; unknown keys are ignored. The key `header` fills the first
 * placeholder of a text header; if that is a name, so does the name. The key `payment` fills the buttons that ask
 * for a payment, or else `ownPayment`, which the message in whose place the template goes asks for.
 */
export function fillTemplate(
  definition: TemplateDefinition,
  variables: Readonly<Record<string, unknown>>,
  contact: ContactFacts,
  ownPayment?: PaymentPart,
): Filling {
  const missing = new Set<string>();
  const issues = new Map<string, Issue>();
  const refuse = (issue: Issue): void => void issues.set(issue.path, issue);
  const read = (key: string): string | undefined => readVariable(variables, key, refuse);
  const find = (key: string, name = key): string => {
    const value = read(key) ?? read(name) ?? findContactFact(contact, name);
    if (value === undefined) missing.add(key);
    return value ?? "";
  };

  const fill = createFiller(refuse);
  const header = fillHeader(definition, variables, { find, fill, missing, refuse });
  const body = fillWording(definition.body, (placeholder) => ({ key: placeholder }), find, fill);
  const buttons = definition.buttons.map((button, index) =>
    fillButton(button, index + 1, { find, fill, read })
  );
  const given = Object.hasOwn(variables, paymentKey) ? variables[paymentKey] : undefined;
  const payment = fillPaymentButtons(definition.buttons, given, ownPayment, {
    missing,
    refuse,
  });
  // A text of that name is a variable that the template does not take.
  if (isPlainObject(given) && !listVariableKeys(definition).has(paymentKey)) {
    refuse({ path: `variables.${paymentKey}`, message: "needs a template with a payment button" });
  }
  const { parameterFormat, footer } = definition;
  return {
    template: {
      ...{ parameterFormat, header, body, footer, buttons },
      ...(payment === undefined ? {} : { payment }),
    },
    missing: [...missing],
    issues: [...issues.values()],
  };
}

/** The keys of `variables` that a template needs, in its order; `nome` and `telefone` among them. */
export function listVariables(definition: TemplateDefinition): readonly string[] {
  return fillTemplate(definition, {}, { name: null, phone: null }).missing;
}

type FindValue = (key: string, name?: string) => string;
type FillText = (text: string, values: ReadonlyMap<string, string>) => string;

/** Fills texts, and refuses the variables that would make one too long. */
function createFiller(refuse: (issue: Issue) => void): FillText {
  return (text, values) => {
    const filled = fillText(text, values);
    if (filled !== null) return filled;
    const message = `make a text of more than ${maxFilledLength} characters`;
    refuse({ path: "variables", message });
    return "";
  };
}

/**
 * The value of a variable as text; undefined where it is missing, which null and blank texts are too. Of
 * any other type it is refused, and empty.
 */
export function readVariable(
  variables: Readonly<Record<string, unknown>>,
  key: string,
  refuse: (issue: Issue) => void,
): string | undefined {
  const value = Object.hasOwn(variables, key) ? variables[key] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return isBlank(value) ? undefined : value;
  if (typeof value === "number") return String(value);
  refuse({ path: `variables.${key}`, message: "must be a text or a number" });
  return "";
}

/**
 * What the contact gives for `nome` and `telefone`, undefined where it is not known. A name is one line:
 * the official channel refuses line breaks in a variable.
 */
export function findContactFact(contact: ContactFacts, name: string): string | undefined {
  if (name === "telefone") return contact.phone ?? undefined;
  if (name !== "nome") return undefined;
  const oneLine = (contact.name ?? "").replace(/\s+/g, " ").trim();
  return oneLine === "" ? undefined : oneLine;
}

function fillHeader(
  { header }: TemplateDefinition,
  variables: Readonly<Record<string, unknown>>,
  { find, fill, missing, refuse }: {
    readonly find: FindValue;
    readonly fill: FillText;
    readonly missing: Set<string>;
    readonly refuse: (issue: Issue) => void;
  },
): FilledHeader | null {
  if (header === null) return null;
  if (header.format === "TEXT") {
    const [first] = listPlaceholders(header.text);
    const keyOf = (placeholder: string): VariableKey =>
      placeholder === first
        ? { key: "header", name: isNumbered(placeholder) ? undefined : placeholder }
        : { key: placeholder };
    return { format: "TEXT", ...fillWording(header.text, keyOf, find, fill) };
  }
  const value = Object.hasOwn(variables, "header") ? variables["header"] : undefined;
  const reading = readHeaderMedia(value, header.format);
  if (reading.outcome === "read") return { format: header.format, media: reading.media };
  if (reading.outcome === "missing") missing.add("header");
  else reading.issues.forEach(refuse);
  return null;
}

interface VariableKey {
  readonly key: string;
  /** A second key, which the contact's facts can fill too. */
  readonly name?: string | undefined;
}

function fillWording(
  wording: string,
  keyOf: (placeholder: string) => VariableKey,
  find: FindValue,
  fill: FillText,
): FilledText {
  const parameters = listPlaceholders(wording).map((placeholder) => {
    const { key, name } = keyOf(placeholder);
    return { key, placeholder, value: find(key, name) };
  });
  const values = new Map(parameters.map(({ placeholder, value }) => [placeholder, value]));
  return { text: fill(wording, values), parameters };
}

function fillButton(
  { type, text, url, phoneNumber, means }: TemplateButton,
  position: number,
  { find, fill, read }: {
    readonly find: FindValue;
    readonly fill: FillText;
    readonly read: (key: string) => string | undefined;
  },
): FilledButton {
  if (type === "QUICK_REPLY") return { type, text, payload: read(`button_${position}_payload`) };
  if (type === "FLOW") return { type, text, flowToken: read(`button_${position}_payload`) };
  if (means !== undefined) return { type, text, means };
  if (type !== "URL" || url === undefined) return { type, text, phoneNumber };
  const placeholders = listPlaceholders(url);
  if (placeholders.length === 0) return { type, text, url };
  const suffix = find(`button_${position}`);
  const encoded = suffix.replace(/\s/gu, encodeURIComponent);
  const values = new Map(placeholders.map((placeholder) => [placeholder, encoded]));
  return { type, text, url: fill(url, values), suffix };
}
