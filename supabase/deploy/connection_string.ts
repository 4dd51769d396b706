/**
 * Reads a connection string. Whoever else reads what is none may quote it, with its password.
 *
 * @returns null for what is no `postgres://` address, or not written in percent-encoding.
 */
export function readConnectionString(text: string): URL | null {
  const url = URL.parse(text);
  const isReadable = url !== null && /^postgres(?:ql)?:$/.test(url.protocol) &&
    [url.username, url.password].every(isPercentEncoded);
  return isReadable ? url : null;
}

/** What to write instead, as the end of a sentence that begins with the variable's name. */
export const isNoConnectionString =
  "is no connection string (postgres://user:password@host:5432/postgres); in the password # is written %23, % %25, / %2F, : %3A, ? %3F, @ %40.";

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
