/**
 * The kinds of field in a provider configuration. A valid value can be put into a URL or a header
 * without being rejected, truncated or misread.
 */
import * as z from "zod";

const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;
const CONTROL_OR_LONE_SURROGATE = /[\p{Cc}\p{Cs}]/u;
const SEPARATOR = /[/\\?#%]/;

export const maxBaseUrlLength = 2_000;

/** The provider's address: an http(s) URL, with or without a path or a trailing slash. */
export const baseUrlSchema = z.string().max(maxBaseUrlLength).refine(
  isBaseUrl,
  "must be an http or https URL without credentials, query or fragment",
);

/** A credential that travels in a header. */
export const credentialSchema = z.string().max(4_096).regex(
  PRINTABLE_ASCII,
  "must be printable ASCII without spaces",
);

/** An identifier that becomes one segment of a path. */
export const pathSegmentSchema = z.string().max(200).refine(
  isPathSegment,
  "must be an identifier without control characters",
);

/** A credential that travels as one segment of a path. */
export const pathCredentialSchema = z.string().max(200).refine(
  (value) => PRINTABLE_ASCII.test(value) && isPathSegment(value),
  "must be printable ASCII without spaces",
);

/**
 * The secret in the path of a gateway's webhook address. Gateways do not sign their webhooks.
 * People copy the secret into that address by hand, so it must need no encoding.
 */
export const webhookSecretSchema = z.string().max(200).refine(
  (value) => PRINTABLE_ASCII.test(value) && isPathSegment(value) && !SEPARATOR.test(value),
  "must be printable ASCII without spaces and without / \\ ? # %",
);

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" &&
    url.password === "" && url.search === "" && url.hash === "";
}

/**
 * Encoding does not protect `.` and `..`: URL parsers resolve them, so they would change the path.
 */
function isPathSegment(value: string): boolean {
  return !["", ".", ".."].includes(value) && !CONTROL_OR_LONE_SURROGATE.test(value);
}

/** Appends a path (beginning with a slash) to a base URL, with or without trailing slashes. */
export function joinUrl(baseUrl: string, path: string): string {
  return baseUrl.replace(/(?<!\/)\/+$/, "") + path;
}
