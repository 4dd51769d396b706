/** The gateway Z-API. */
import { toFailureReceipt } from "../classification.ts";
import { joinUrl } from "../config_fields.ts";
import { checkGatewayContent } from "../gateway_content.ts";
import { postJson } from "../http/call.ts";
import type { OutboundMessage, Provider, Receipt, SendOptions } from "../provider.ts";
import { isUserId, recipientNeedsPhone } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";
import { readZapiAnswer } from "./answer.ts";
import { type ZapiConfig, zapiSecretFields } from "./config.ts";
import { listSecrets } from "../stored_config.ts";
import { locateZapiFile } from "./received_files.ts";
import { limitZapiTypingMs, toZapiRequest } from "./request.ts";

const DEFAULT_BASE_URL = "https://api.z-api.io";

/** The provider of a Z-API instance. `accepted` means accepted into Z-API's own queue. */
export function createZapiProvider(config: ZapiConfig): Provider {
  return {
    templates: null,
    files: null,
    checkContent: checkGatewayContent,
    limitTypingMs: limitZapiTypingMs,
    locateFile: (source) => locateZapiFile(config, source),
    send: (message, options) => send(config, message, options),
  };
}

async function send(
  config: ZapiConfig,
  message: OutboundMessage,
  options: SendOptions,
): Promise<Receipt> {
  if (isUserId(message.to)) return recipientNeedsPhone;
  const { path, body } = toZapiRequest(message, config);
  const result = await postJson({
    url: joinUrl(config.baseUrl ?? DEFAULT_BASE_URL, path),
    headers: config.clientToken === undefined ? {} : { "client-token": config.clientToken },
    body,
    ...options,
  });
  if (result.outcome !== "answered") return toFailureReceipt(result);
  return readZapiAnswer(result, {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, zapiSecretFields), message.to),
  });
}
