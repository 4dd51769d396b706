/** What a provider answers when it is asked for the templates of an account. */

/** A template as the provider has it. */
export interface ListedTemplate {
  readonly providerTemplateId: string;
  readonly name: string;
  readonly language: string;
  readonly parameterFormat: "POSITIONAL" | "NAMED";
  readonly components: readonly unknown[];
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED` and others. */
  readonly providerStatus: string;
}

/**
 * The whole list, or why there is none: a partial list would look as if the rest had been deleted.
 * `not_configured`: the instance's configuration names no account whose templates could be read.
 */
export type TemplateListing =
  | { readonly outcome: "listed"; readonly templates: readonly ListedTemplate[] }
  | { readonly outcome: "failed"; readonly code: string; readonly message: string }
  | { readonly outcome: "not_configured"; readonly message: string };

/** The bounds of reading a list. */
export interface ListingOptions {
  /** Bound on each page, in milliseconds. */
  readonly timeoutMs: number;
  /** Bound on all pages together, in milliseconds. */
  readonly totalTimeoutMs: number;
}
