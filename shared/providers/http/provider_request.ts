/** What a converter makes of a message: one POST to the provider. */
export interface ProviderRequest {
  /** Begins with a slash and goes behind the base URL. May hold a credential: never logged. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `{ [name]: value }`, or nothing for an absent or empty text, which some providers refuse. */
export function optionalMember(
  name: string,
  value: string | undefined,
): Readonly<Record<string, string>> {
  return value === undefined || value === "" ? {} : { [name]: value };
}
