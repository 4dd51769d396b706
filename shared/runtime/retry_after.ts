/** How long a provider asks callers to wait, in milliseconds, and how answers pass that on. */
import { readValue } from "../model/json_value.ts";

/** Upper bound of a wait. Provider quotas renew within a day; a wrong value must not delay a message for longer. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000;

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3), in milliseconds from now.
 *
 * @returns undefined without a valid header.
 */
export function readRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return boundWait(Number(value) * 1_000);
  if (HTTP_DATE.test(value) && !Number.isNaN(Date.parse(value))) {
    return boundWait(Date.parse(value) - nowMs);
  }
  return undefined;
}

/**
 * Cloud API: `Retry-After`, else the longest `estimated_time_to_regain_access` (in minutes) of any
 * account in `X-Business-Use-Case-Usage`.
 */
export function readCloudRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  return readRetryAfterMs(headers, nowMs) ?? readUsageWaitMs(headers);
}

function readUsageWaitMs(headers: Headers): number | undefined {
  const minutes = listUsages(headers.get("x-business-use-case-usage") ?? "")
    .map((usage) => readValue(usage, "estimated_time_to_regain_access"))
    .filter((wait) => typeof wait === "number" && wait > 0)
    .map(Number);
  return minutes.length === 0 ? undefined : boundWait(Math.max(...minutes) * 60_000);
}

function listUsages(header: string): unknown[] {
  try {
    const usage: unknown = JSON.parse(header);
    return typeof usage === "object" && usage !== null ? Object.values(usage).flat() : [];
  } catch {
    return [];
  }
}

function boundWait(waitMs: number): number {
  return Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS);
}

/** The header by which an answer tells its caller to wait, in whole seconds; none without a wait. */
export function retryAfterHeader(waitMs: number | undefined): Readonly<Record<string, string>> {
  return waitMs === undefined ? {} : { "Retry-After": `${Math.ceil(waitMs / 1_000)}` };
}
