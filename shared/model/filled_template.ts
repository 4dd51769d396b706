/** How a template names its variables (specification, section 2): `{{1}}` or `{{name}}`. */
export type ParameterFormat = "POSITIONAL" | "NAMED";

export const mediaFormats = ["IMAGE", "VIDEO", "DOCUMENT"] as const;
export type MediaFormat = (typeof mediaFormats)[number];

/** The file of a media header: uploaded to the channel's provider, or public. */
export type HeaderMedia =
  | { readonly id: string; readonly link?: string | undefined }
  | { readonly id?: undefined; readonly link: string };

/** One placeholder with what it becomes. */
export interface FilledParameter {
  /** The key of `variables` that fills it. */
  readonly key: string;
  /** What stands between the braces. */
  readonly placeholder: string;
  readonly value: string;
}

/** A wording with its variables in place, and the variables apart. */
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
  /** Its URL with the suffix in place. */
  readonly url?: string | undefined;
  /** What a URL with a placeholder was given. */
  readonly suffix?: string | undefined;
  /** What a `QUICK_REPLY` sends back, where the caller chose it. */
  readonly payload?: string | undefined;
  /** What a `FLOW` gives back with its answers, where the caller chose it. */
  readonly flowToken?: string | undefined;
}

/** A template ready to be sent on any channel. */
export interface FilledTemplate {
  readonly parameterFormat: ParameterFormat;
  readonly header: FilledHeader | null;
  readonly body: FilledText;
  readonly footer: string | null;
  readonly buttons: readonly FilledButton[];
}
