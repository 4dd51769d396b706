/** Parses the body of a webhook without loss of precision. */

/**
 * The JSON value of `text`; undefined if it is not JSON. Whole numbers above 2^53 become texts of
 * their digits: Meta sends template ids as numbers, and a rounded id would name another template.
 */
export function parseWebhookPayload(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasLongNumber(text) ? parseExactly(text, value) : value;
  } catch {
    return undefined;
  }
}

/** Sixteen digits are the fewest of a number above 2^53. Matches numbers after a colon only. */
function hasLongNumber(text: string): boolean {
  return /:\s*\d{16}/.test(text);
}

function parseExactly(text: string, rounded: unknown): unknown {
  // TypeScript's library lacks the third argument of a reviver.
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source ?? "";
    return typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(source)
      ? source
      : value;
  };
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // Revivers run recursively. JSON nested thousands of levels deep is not a template event.
    return rounded;
  }
}
