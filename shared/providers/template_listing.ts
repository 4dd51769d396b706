/** The result of listing an account's templates at the provider. */

/** A template as the provider stores it. */
export interface ListedTemplate {
  readonly providerTemplateId: string;
  readonly name: string;
  readonly language: string;
  readonly parameterFormat: "POSITIONAL" | "NAMED";
  readonly components: readonly unknown[];
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`; null where the provider does not tell. */
  readonly category: string | null;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED` and others. */
  readonly providerStatus: string;
}

/**
 * The whole list, or the reason for its absence. Never a partial list: its missing templates would
 * look deleted. `not_configured`: the instance's configuration has no account id.
 */
export type TemplateListing =
  | { readonly outcome: "listed"; readonly templates: readonly ListedTemplate[] }
  | { readonly outcome: "failed"; readonly code: string; readonly message: string }
  | { readonly outcome: "not_configured"; readonly message: string };

/** The time limits of reading a list. */
export interface ListingOptions {
  /** Time-out of each page, in milliseconds. */
  readonly timeoutMs: number;
  /** Time-out of all pages together, in milliseconds. */
  readonly totalTimeoutMs: number;
}
