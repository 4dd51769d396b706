/** Checks a URL that a caller names before the service or a provider calls it. */
import { isIpv4, isPublicHost } from "./public_host.ts";

const maxUrlLength = 2048;

/** Parsers disagree on white space, control characters, lone surrogates and backslashes. */
const ambiguousCharacter = /[\s\p{Cc}\p{Cs}\\]/u;
const httpsAuthority = /^https:\/\/([^/?#]+)/i;
const httpAuthority = /^https?:\/\/([^/?#]+)/i;

export interface UrlRule {
  /** The request's field, for the sentence of a refusal. */
  readonly field: string;
  /** Allows http too, and hosts that are not public. */
  readonly allowsPrivateHosts?: boolean;
}

/**
 * Null if `url` may be called, else the reason: one sentence for the caller that never repeats the
 * URL. It must be https, have at most 2,048 characters, a public host name or IP address and no
 * credentials.
 */
export function findUrlProblem(
  url: string,
  { field, allowsPrivateHosts = false }: UrlRule,
): string | null {
  if (url.length > maxUrlLength) return `${field} must have at most ${maxUrlLength} characters.`;
  if (ambiguousCharacter.test(url)) {
    return `${field} must not contain white space, control characters or backslashes.`;
  }
  const authority = (allowsPrivateHosts ? httpAuthority : httpsAuthority).exec(url)?.[1];
  const parsed = URL.parse(url);
  if (authority === undefined || parsed === null) {
    return `${field} must be a complete ${allowsPrivateHosts ? "http:// or " : ""}https:// URL.`;
  }
  if (authority.includes("@")) return `${field} must not contain a user name or password.`;
  if (allowsPrivateHosts) return null;
  if (!hasPlainHost(authority, parsed.hostname) || !isPublicHost(parsed.hostname)) {
    return `${field} must have a public host name or a public IP address.`;
  }
  return null;
}

/**
 * Whether the host is written in its plain form: not percent-encoded, and an IPv4 address in four
 * decimal parts only, since parsers read 010.0.0.1 as either 8.0.0.1 or 10.0.0.1.
 */
function hasPlainHost(authority: string, hostname: string): boolean {
  if (authority.includes("%")) return false;
  return !isIpv4(hostname) || authority.replace(/:[0-9]*$/, "") === hostname;
}
