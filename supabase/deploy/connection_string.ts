/**
 * Parses a connection string. Checks it before other code does, because an error message of the driver
 * or the CLI may quote an invalid one with its password.
 *
 * @returns null for anything but a `postgres://` address in valid percent-encoding.
 */
export function readConnectionString(text: string): URL | null {
  const url = URL.parse(text);
  const isReadable = url !== null && /^postgres(?:ql)?:$/.test(url.protocol) &&
    [url.username, url.password].every(isPercentEncoded);
  return isReadable ? url : null;
}

/** The error for an invalid connection string; follows the variable's name in a sentence. */
export const invalidConnectionString =
  "is not a valid connection string (postgres://user:password@host:5432/postgres). In the password write # as %23, % as %25, / as %2F, : as %3A, ? as %3F, @ as %40.";

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
