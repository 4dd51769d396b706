/** The body of a webhook as a value, without loss. */

/**
 * The JSON value of `text`, or undefined when it is not JSON. Whole numbers beyond 2^53 come as
 * their digits: Meta sends template ids as numbers, and rounded they would name another template.
 */
export function parseWebhookPayload(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasLongNumber(text) ? parseExactly(text, value) : value;
  } catch {
    return undefined;
  }
}

/** Sixteen digits are the fewest that can be beyond 2^53; looked for after a colon alone. */
function hasLongNumber(text: string): boolean {
  return /:\s*\d{16}/.test(text);
}

function parseExactly(text: string, rounded: unknown): unknown {
  // The third argument of a reviver is missing in TypeScript's library.
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source ?? "";
    return typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(source)
      ? source
      : value;
  };
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // Revivers are called recursively: what is nested thousands deep is no template event.
    return rounded;
  }
}
