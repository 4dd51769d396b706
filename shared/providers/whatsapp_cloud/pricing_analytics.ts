/**
 * What Meta bills for a number (Graph API reference, WhatsApp Business Account, `pricing_analytics`): volumes
 * and approximate amounts, by UTC, up to a year back.
 */
import { readText, readValue } from "../../model/json_value.ts";
import { identityKeyOf } from "../../model/phone.ts";
import type { BilledPoint, BilledUsage, BilledUsageRequest } from "../billed_usage.ts";
import { isSuccess, toFailureReceipt } from "../classification.ts";
import { getJson, type HttpResult } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";
import { graphNodePath, graphUrl } from "./graph.ts";

/** A month of half hours, in some categories, types and numbers, has some thousand points of 200 bytes. */
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * Reads the volumes and amounts of the instance's number. Asks for half hours, because a month of the
 * instance's zone begins at no midnight of UTC, and for the numbers apart, because an account has several.
 */
export async function readPricingAnalytics(
  config: WhatsappCloudConfig,
  { connectedPhone, startsAt, endsAt, instanceId, timeoutMs }: BilledUsageRequest,
): Promise<BilledUsage> {
  const { wabaId, phoneNumberId } = config;
  if (wabaId === undefined) return withoutAccount;
  const fields = [
    `start(${startsAt})`,
    `end(${endsAt})`,
    "granularity(HALF_HOUR)",
    'metric_types(["COST","VOLUME"])',
    'dimensions(["PHONE","PRICING_CATEGORY","PRICING_TYPE"])',
  ].join(".");
  const query = new URLSearchParams({ fields: `currency,pricing_analytics.${fields}` });
  const result = await getJson({
    url: `${graphUrl(config, graphNodePath(config, wabaId))}?${query}`,
    headers: { authorization: `Bearer ${config.accessToken}` },
    instanceId,
    timeoutMs,
    maxAnswerBytes,
  });
  return readFailure(result, config) ??
    readPoints(result, [connectedPhone, ...phoneNumberId === undefined ? [] : [phoneNumberId]]);
}

const withoutAccount: BilledUsage = {
  outcome: "not_configured",
  message: "The instance's providerConfig has no wabaId, of which usage is billed.",
};

function readFailure(result: HttpResult, config: WhatsappCloudConfig): BilledUsage | undefined {
  const isAnswered = result.outcome === "answered";
  const error = isAnswered ? readValue(result.json, "error") : undefined;
  if (isAnswered && isSuccess(result) && error === undefined) return undefined;
  const redact = createRedactor(listSecrets(config, whatsappCloudSecretFields), null);
  const receipt = isAnswered
    ? readWhatsappCloudAnswer(result, { nowMs: Date.now(), redact })
    : toFailureReceipt(result);
  if (receipt.outcome !== "rejected") {
    const code = receipt.outcome === "unknown" ? receipt.reason : "malformed_answer";
    return fail(code, "The provider's response is unusable.");
  }
  const hint = hintOf(Number(receipt.code), readValue(error, "error_subcode"));
  return fail(receipt.code, [hint, receipt.message].filter((text) => text !== "").join(" "));
}

/** What to put right for the refusals that a wrong configuration leads to (page Error codes). */
function hintOf(code: number, subcode: unknown): string {
  if (code === 0 || code === 190) return "The accessToken is invalid or has expired.";
  if (code === 100 && subcode === 33) {
    return "The wabaId names no account, or none that the accessToken may read.";
  }
  return code === 3 || code === 10 || code >= 200 && code <= 299
    ? "The accessToken may not read the account: it needs the permission whatsapp_business_management."
    : "";
}

function readPoints(result: HttpResult, numbers: readonly string[]): BilledUsage {
  const json = result.outcome === "answered" ? result.json : undefined;
  // An account without billed messages in the span has no member of this name.
  const analytics = readValue(json, "pricing_analytics");
  const data = analytics === undefined ? [] : readValue(analytics, "data");
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  if (!isObject || !Array.isArray(data)) return malformed;
  const own = new Set(numbers.map(identityKeyOf));
  const points: BilledPoint[] = [];
  for (const part of data) {
    const listed = readValue(part, "data_points");
    if (!Array.isArray(listed)) return malformed;
    for (const point of listed) {
      const read = readPoint(point);
      if (read === undefined) return malformed;
      const number = readText(point, "phone_number")?.replaceAll(/\D/g, "");
      if (number === undefined || own.has(identityKeyOf(number))) points.push(read);
    }
  }
  return { outcome: "read", currency: readText(json, "currency") ?? null, points };
}

/** Undefined for one whose figures are none. Meta leaves out the cost of what is free. */
function readPoint(point: unknown): BilledPoint | undefined {
  const volume = readValue(point, "volume");
  const cost = readValue(point, "cost") ?? 0;
  if (!Number.isSafeInteger(volume) || typeof cost !== "number") return undefined;
  return {
    category: readText(point, "pricing_category") ?? null,
    type: readText(point, "pricing_type") ?? null,
    volume: Number(volume),
    cost,
  };
}

const malformed = fail(
  "malformed_answer",
  "The provider's response has no pricing_analytics of the known form.",
);

function fail(code: string, message: string): BilledUsage {
  return { outcome: "failed", code, message };
}
