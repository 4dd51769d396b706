/**
 * Where the official channel sends a number's events (Graph API reference, `webhook_configuration` of a phone
 * number; page Override webhooks).
 */
import { readText, readValue } from "../../model/json_value.ts";
import type {
  ConnectionChangeOutcome,
  ConnectionFailure,
  ConnectionOptions,
  ProviderWebhooks,
  WebhookReport,
} from "../connection.ts";
import { fail, maxConnectionAnswerBytes, unusableAnswer } from "../connection_calls.ts";
import { getJson, type HttpResult, postJson } from "../http/call.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphNodePath, graphPath, graphUrl } from "./graph.ts";

/** The narrowest first: it is the one that counts. */
const scopes = ["phone_number", "whatsapp_business_account", "application"] as const;

/**
 * Opens the webhooks of a number.
 *
 * @param readFailure why a call has failed; undefined for one that has not.
 */
export function openWhatsappCloudWebhooks(
  config: WhatsappCloudConfig,
  options: ConnectionOptions,
  readFailure: (result: HttpResult) => ConnectionFailure | undefined,
): ProviderWebhooks {
  const headers = { authorization: `Bearer ${config.accessToken}` };
  return {
    addressOf: (webhookUrl) => webhookUrl,
    async read(address): Promise<WebhookReport | ConnectionFailure> {
      const { phoneNumberId } = config;
      if (phoneNumberId === undefined) return withoutNumber;
      const url = graphUrl(config, graphNodePath(config, phoneNumberId));
      const result = await getJson({
        url: `${url}?fields=webhook_configuration`,
        ...{ headers, ...options, maxAnswerBytes: maxConnectionAnswerBytes },
      });
      const failure = readFailure(result);
      if (failure !== undefined) return failure;
      if (result.outcome !== "answered") return unusableAnswer;
      const found = scopes.map((scope) => readText(result.json, "webhook_configuration", scope))
        .find((one) => one !== undefined) ?? null;
      // An event that arrives at another number's address goes on to its own instance.
      const isOurs = found !== null && parentOf(found) === parentOf(address);
      return { outcome: "told", isOurs, url: isOurs ? null : found };
    },
    async set(address): Promise<ConnectionChangeOutcome> {
      const { wabaId, verifyToken } = config;
      if (wabaId === undefined) return withoutAccount;
      const result = await postJson({
        url: graphUrl(config, graphPath(config, wabaId, "subscribed_apps")),
        body: { override_callback_uri: address, verify_token: verifyToken },
        ...{ headers, ...options },
      });
      const failure = readFailure(result);
      if (failure !== undefined) return failure;
      const isDone = result.outcome === "answered" && readValue(result.json, "success") === true;
      return isDone ? { outcome: "done" } : unusableAnswer;
    },
  };
}

/** An address without its last part, which names the instance. */
function parentOf(address: string): string {
  return address.replace(/\/[^/]*$/, "");
}

const withoutNumber = fail("not_configured", "The instance's providerConfig has no phoneNumberId.");
const withoutAccount = fail("not_configured", "The instance's providerConfig has no wabaId.");
