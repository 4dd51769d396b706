/** What the official channel says of a number (Graph API reference, WhatsApp Business Phone Number). */
import type { ConnectionState } from "../../model/connection.ts";
import { readText, readValue } from "../../model/json_value.ts";
import { isSuccess, toFailureReceipt } from "../classification.ts";
import type {
  ConnectionFailure,
  ConnectionOptions,
  ConnectionReport,
  ProviderConnection,
} from "../connection.ts";
import { fail, maxConnectionAnswerBytes, unusableAnswer } from "../connection_calls.ts";
import { getJson, type HttpResult } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import { readSessionPhone } from "../webhooks/addresses.ts";
import { readLabel } from "../webhooks/fields.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import { openWhatsappCloudWebhooks } from "./webhooks.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";
import { graphNodePath, graphUrl } from "./graph.ts";

const fields = [
  "display_phone_number",
  "status",
  "quality_rating",
  "throughput",
  "messaging_limit_tier",
  "is_on_biz_app",
].join(",");

/** Numbers that are flagged or limited still send. */
const states: Readonly<Record<string, ConnectionState>> = {
  CONNECTED: "connected",
  FLAGGED: "connected",
  RESTRICTED: "connected",
  RATE_LIMITED: "connected",
  PENDING: "connecting",
  BANNED: "disconnected",
  DISCONNECTED: "disconnected",
  MIGRATED: "disconnected",
  DELETED: "disconnected",
};

/** Opens the connection of a number of the official channel, which is connected at Meta. */
export function openWhatsappCloudConnection(
  config: WhatsappCloudConfig,
  options: ConnectionOptions,
): ProviderConnection {
  const webhooks = openWhatsappCloudWebhooks(
    config,
    options,
    (result) => readFailure(result, config),
  );
  return { read: () => read(config, options), pairing: null, webhooks };
}

async function read(
  config: WhatsappCloudConfig,
  options: ConnectionOptions,
): Promise<ConnectionReport | ConnectionFailure> {
  const { phoneNumberId } = config;
  if (phoneNumberId === undefined) {
    return fail("not_configured", "The instance's providerConfig has no phoneNumberId.");
  }
  const result = await getJson({
    url: `${graphUrl(config, graphNodePath(config, phoneNumberId))}?${new URLSearchParams({
      fields,
    })}`,
    headers: { authorization: `Bearer ${config.accessToken}` },
    ...options,
    maxAnswerBytes: maxConnectionAnswerBytes,
  });
  return readFailure(result, config) ?? readNumber(result);
}

function readFailure(
  result: HttpResult,
  config: WhatsappCloudConfig,
): ConnectionFailure | undefined {
  const isAnswered = result.outcome === "answered";
  const isRefused = isAnswered && readValue(result.json, "error") !== undefined;
  if (isAnswered && isSuccess(result) && !isRefused) return undefined;
  const redact = createRedactor(listSecrets(config, whatsappCloudSecretFields), null);
  const receipt = isAnswered
    ? readWhatsappCloudAnswer(result, { nowMs: Date.now(), redact })
    : toFailureReceipt(result);
  if (receipt.outcome === "rejected") return fail(receipt.code, receipt.message);
  return receipt.outcome === "unknown"
    ? fail(receipt.reason, "The provider did not answer.")
    : unusableAnswer;
}

function readNumber(result: HttpResult): ConnectionReport | ConnectionFailure {
  if (result.outcome !== "answered") return unusableAnswer;
  const { json } = result;
  const status = readLabel(json, "status") ?? null;
  const isOnBusinessApp = readValue(json, "is_on_biz_app");
  return {
    outcome: "told",
    state: status !== null && Object.hasOwn(states, status)
      ? states[status] ?? "unknown"
      : "unknown",
    phone: readSessionPhone(readText(json, "display_phone_number")),
    number: {
      status,
      quality: readLabel(json, "quality_rating") ?? null,
      throughput: readLabel(json, "throughput", "level") ?? null,
      messagingLimit: readLabel(json, "messaging_limit_tier") ?? null,
      isOnBusinessApp: typeof isOnBusinessApp === "boolean" ? isOnBusinessApp : null,
    },
  };
}
