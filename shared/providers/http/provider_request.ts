/** The POST request to the provider that a converter builds from a message. */
export interface ProviderRequest {
  /**
   * Begins with a slash and follows the base URL. May contain a credential, so it is never logged.
   */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `{ [name]: value }`, or no member for an absent or empty text, which some providers refuse. */
export function optionalMember<Value>(
  name: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  return value === undefined || value === "" ? {} : { [name]: value };
}
