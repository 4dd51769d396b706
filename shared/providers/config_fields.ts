/**
 * The kinds of field a provider configuration is made of. Whatever passes here can be put into a
 * URL or a header without being refused, cut or read as something else.
 */
import * as z from "zod";

const CONTROL_OR_LONE_SURROGATE = /[\p{Cc}\p{Cs}]/u;

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" &&
    url.password === "" && url.search === "" && url.hash === "";
}

/** Where the provider is reached: an http(s) URL, with or without a path or a trailing slash. */
export const baseUrlSchema = z.string().max(2_000).refine(
  isBaseUrl,
  "must be an http or https URL without credentials, query or fragment",
);

/** A credential that travels in a header: printable ASCII without spaces. */
export const credentialSchema = z.string().min(1).max(4_096).regex(
  /^[\x21-\x7e]+$/,
  "must not hold spaces, control characters or letters outside ASCII",
);

/**
 * An identifier that becomes one segment of a path. Encoding does not protect `.` and `..`: a URL
 * resolves them, so they would address something else.
 */
export const pathSegmentSchema = z.string().min(1).max(200).refine(
  (value) => value !== "." && value !== ".." && !CONTROL_OR_LONE_SURROGATE.test(value),
  "must be an identifier without control characters",
);

/**
 * The secret in the path of a gateway's webhook address (gateways sign nothing): printable ASCII
 * without the characters that end or split a path segment.
 */
export const webhookSecretSchema = z.string().min(1).max(200).regex(
  /^[\x21-\x7e]+$/,
  "must not hold spaces, control characters or letters outside ASCII",
).refine(
  (value) => value !== "." && value !== ".." && !/[/\\?#%]/.test(value),
  "must be one path segment: no / \\ ? # or %",
);

/** Puts a path (beginning with a slash) behind a base URL, whatever slashes that ends in. */
export function joinUrl(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/, "") + path;
}
