import type { PaymentMeans, PaymentPart } from "./payment.ts";

/** How a template names its variables (specification, section 2): `{{1}}` or `{{name}}`. */
export const parameterFormats = ["POSITIONAL", "NAMED"] as const;
export type ParameterFormat = (typeof parameterFormats)[number];

/** The categories of the official channel: its messages cost by them. */
export const templateCategories = ["MARKETING", "UTILITY", "AUTHENTICATION"] as const;

/** The types of a template's components in the official channel's shape. */
export const componentTypes = ["HEADER", "BODY", "FOOTER", "BUTTONS"] as const;

export const mediaFormats = ["IMAGE", "VIDEO", "DOCUMENT"] as const;
export type MediaFormat = (typeof mediaFormats)[number];

/** What the header of a template may be. */
export const headerFormats = ["TEXT", ...mediaFormats, "LOCATION"] as const;

/** The file of a media header: the id of an upload at the provider, a public URL, or a file of ours. */
export type HeaderMedia =
  | { readonly id: string; readonly link?: string | undefined; readonly mediaId?: undefined }
  | { readonly id?: undefined; readonly link: string; readonly mediaId?: undefined }
  | {
    readonly id?: undefined;
    readonly mediaId: string;
    /** Once the file was looked up: where a gateway fetches it, and its name. */
    readonly link?: string | undefined;
    readonly fileName?: string | undefined;
  };

/** One placeholder and its value. */
export interface FilledParameter {
  /** The key of `variables` that fills it. */
  readonly key: string;
  /** The name or number between the braces. */
  readonly placeholder: string;
  readonly value: string;
}

/** A text with its variables filled in, and the values on their own. */
export interface FilledText {
  readonly text: string;
  readonly parameters: readonly FilledParameter[];
}

export type FilledHeader =
  | FilledText & { readonly format: "TEXT" }
  | { readonly format: MediaFormat; readonly media: HeaderMedia };

export interface FilledButton {
  readonly type: string;
  readonly text: string;
  readonly phoneNumber?: string | undefined;
  /** The URL with its suffix filled in. */
  readonly url?: string | undefined;
  /** The value of the placeholder in the URL. */
  readonly suffix?: string | undefined;
  /** The payload that a `QUICK_REPLY` sends back, if the caller set one. */
  readonly payload?: string | undefined;
  /** The token that a `FLOW` returns with its answers, if the caller set one. */
  readonly flowToken?: string | undefined;
  /** Of a `PAYMENT_REQUEST`: the way to pay that it copies or opens. */
  readonly means?: PaymentMeans | undefined;
}

/** A template ready to be sent on any channel. */
export interface FilledTemplate {
  readonly parameterFormat: ParameterFormat;
  readonly header: FilledHeader | null;
  readonly body: FilledText;
  readonly footer: string | null;
  readonly buttons: readonly FilledButton[];
  /** What its buttons ask to be paid; undefined for a template without such a button. */
  readonly payment?: PaymentPart | undefined;
}
