/** The gateway WAHA (self-hosted), of any engine. */
import type { ChannelAction } from "../action.ts";
import { actionNotSupported, toActionReceipt } from "../action_receipt.ts";
import { type ReadingContext, toFailureReceipt } from "../classification.ts";
import { joinUrl } from "../config_fields.ts";
import { checkGatewayContent } from "../gateway_content.ts";
import { type HttpResult, postJson } from "../http/call.ts";
import type {
  ActionReceipt,
  ChannelCall,
  OutboundMessage,
  Provider,
  Receipt,
} from "../provider.ts";
import { isUserId, recipientNeedsPhone } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import { readWahaActionAnswer, toWahaCall } from "./action.ts";
import { readWahaAnswer } from "./answer.ts";
import { type WahaConfig, wahaSecretFields } from "./config.ts";
import { fitWahaContent } from "./content.ts";
import { locateWahaFile } from "./received_files.ts";
import { toWahaRequest, type WahaCall } from "./request.ts";

/**
 * The provider of a WAHA session. Its page offers to reserve a message's id before the send
 * (`new-message-id`): a second call, which WEBJS lacks. Where an answer is lost, the event of the message
 * tells that it has left.
 */
export function createWahaProvider(config: WahaConfig, instanceId: string): Provider {
  return {
    templates: null,
    files: null,
    checkContent: checkGatewayContent,
    fitContent: fitWahaContent,
    // A call of its own, before the send's.
    limitTypingMs: () => 0,
    locateFile: (source, options) => locateWahaFile(config, source, { ...options, instanceId }),
    send: (message, options) => send(config, message, { ...options, instanceId }),
    typing: "by_itself",
    act: (action, options) => act(config, action, { ...options, instanceId }),
  };
}

async function send(
  config: WahaConfig,
  message: OutboundMessage,
  options: ChannelCall,
): Promise<Receipt> {
  if (isUserId(message.to)) return recipientNeedsPhone;
  const result = await call(config, toWahaRequest(message, config), options);
  return result.outcome === "answered"
    ? readWahaAnswer(result, readingContext(config, message.to))
    : toFailureReceipt(result);
}

async function act(
  config: WahaConfig,
  action: ChannelAction,
  options: ChannelCall,
): Promise<ActionReceipt> {
  if (isUserId(action.to)) return recipientNeedsPhone;
  const request = toWahaCall(action, config);
  if (request === undefined) return actionNotSupported;
  const result = await call(config, request, options);
  return result.outcome === "answered"
    ? readWahaActionAnswer(result, readingContext(config, action.to))
    : toActionReceipt(toFailureReceipt(result));
}

function call(
  { baseUrl, apiKey }: WahaConfig,
  { path, ...request }: WahaCall,
  options: ChannelCall,
): Promise<HttpResult> {
  return postJson({
    url: joinUrl(baseUrl, path),
    headers: { "x-api-key": apiKey },
    ...request,
    ...options,
  });
}

function readingContext(config: WahaConfig, recipient: string): ReadingContext {
  return {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, wahaSecretFields), recipient),
  };
}
