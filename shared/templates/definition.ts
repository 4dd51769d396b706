import {
  componentTypes,
  type MediaFormat,
  mediaFormats,
  type ParameterFormat,
} from "../model/filled_template.ts";
import type { PaymentMeans } from "../model/payment.ts";
import { listPlaceholders } from "../model/placeholders.ts";
import { isPaymentButton, paymentKey, readPaymentMeans } from "./payment_buttons.ts";
import * as z from "zod";

export type TemplateHeader =
  | { readonly format: "TEXT"; readonly text: string }
  | { readonly format: MediaFormat };

export interface TemplateButton {
  /** `QUICK_REPLY`, `PHONE_NUMBER`, `URL`, or a static one of the official channel. */
  readonly type: string;
  readonly text: string;
  readonly url?: string | undefined;
  readonly phoneNumber?: string | undefined;
  /** Of a `PAYMENT_REQUEST`: the way to pay that it copies or opens. */
  readonly means?: PaymentMeans | undefined;
}

/** The parts of a stored template that sending needs (specification, section 2). */
export interface TemplateDefinition {
  readonly parameterFormat: ParameterFormat;
  readonly header: TemplateHeader | null;
  readonly body: string;
  readonly footer: string | null;
  readonly buttons: readonly TemplateButton[];
}

export type ReadDefinition =
  | { readonly ok: true; readonly definition: TemplateDefinition }
  | { readonly ok: false; readonly reason: string };

const buttonSchema = z.looseObject({
  type: z.string().toUpperCase(),
  text: z.string().default(""),
  url: z.string().optional(),
  phone_number: z.string().optional(),
  payment_setting: z.unknown().optional(),
});

const componentSchema = z.looseObject({
  type: z.string().toUpperCase(),
  format: z.string().toUpperCase().default("TEXT"),
  text: z.string().optional(),
  buttons: z.array(buttonSchema).default([]),
});

const componentsSchema = z.array(componentSchema);

type Component = z.infer<typeof componentSchema>;

/** Buttons with a parameter that `variables` has no key for. */
const unfillableButtons = ["COPY_CODE", "OTP", "MPM", "SPM"];

/**
 * Reads stored components, which have the official channel's shape (Meta: Message templates,
 * Components). Refuses a template with a part that this service cannot fill (a carousel, a location
 * header, a coupon code): without that part the channel would refuse every send.
 */
export function readTemplateDefinition(
  parameterFormat: ParameterFormat,
  stored: readonly unknown[],
): ReadDefinition {
  const parsed = componentsSchema.safeParse(stored);
  if (!parsed.success) return { ok: false, reason: "its stored components are malformed" };
  const components = parsed.data;
  const find = (type: string): Component | undefined =>
    components.find((component) => component.type === type);
  const unknown = components.find(({ type }) => !componentTypes.some((known) => known === type));
  if (unknown !== undefined) return { ok: false, reason: describeUnfillable(unknown.type) };
  const header = readHeader(find("HEADER"));
  if (header === "unfillable") {
    return { ok: false, reason: describeUnfillable(`${find("HEADER")?.format} header`) };
  }
  const buttons = (find("BUTTONS")?.buttons ?? []).map(
    ({ type, text, url, phone_number, payment_setting }): TemplateButton => {
      const means = readPaymentMeans(type, text, payment_setting);
      const button = { type, text, url, phoneNumber: phone_number };
      return means === undefined ? button : { ...button, means };
    },
  );
  const unfillable = buttons.find(({ type, means }) =>
    unfillableButtons.includes(type) || type === "PAYMENT_REQUEST" && means === undefined
  );
  if (unfillable !== undefined) {
    return { ok: false, reason: describeUnfillable(`${unfillable.type} button`) };
  }
  const body = find("BODY")?.text ?? "";
  if (buttons.some(isPaymentButton) && listPlaceholders(body).includes(paymentKey)) {
    return { ok: false, reason: `{{${paymentKey}}} is the name of what its button asks for` };
  }
  const footer = find("FOOTER")?.text ?? null;
  return { ok: true, definition: { parameterFormat, header, body, footer, buttons } };
}

function readHeader(component: Component | undefined): TemplateHeader | null | "unfillable" {
  if (component === undefined) return null;
  if (component.format === "TEXT") return { format: "TEXT", text: component.text ?? "" };
  const format = mediaFormats.find((known) => known === component.format);
  return format === undefined ? "unfillable" : { format };
}

function describeUnfillable(part: string): string {
  return `it has a part that this endpoint does not support: ${part}`;
}
