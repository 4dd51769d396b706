/** The gateway Z-API. */
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
import { readZapiActionAnswer, toZapiCalls, type ZapiCall } from "./action.ts";
import { readZapiAnswer } from "./answer.ts";
import { zapiBaseUrl } from "./address.ts";
import { type ZapiConfig, zapiSecretFields } from "./config.ts";
import { fitZapiContent } from "./content.ts";
import { listSecrets } from "../stored_config.ts";
import { locateZapiFile } from "./received_files.ts";
import { limitZapiTypingMs, toZapiRequest } from "./request.ts";

/** The provider of a Z-API instance. `accepted` means accepted into Z-API's own queue. */
export function createZapiProvider(config: ZapiConfig, instanceId: string): Provider {
  return {
    templates: null,
    files: null,
    checkContent: checkGatewayContent,
    fitContent: fitZapiContent,
    limitTypingMs: limitZapiTypingMs,
    locateFile: (source) => locateZapiFile(config, source),
    send: (message, options) => send(config, message, { ...options, instanceId }),
    // `delayTyping` of a send is all that it has.
    typing: "before_sending",
    act: (action, options) => act(config, action, { ...options, instanceId }),
  };
}

async function send(
  config: ZapiConfig,
  message: OutboundMessage,
  options: ChannelCall,
): Promise<Receipt> {
  if (isUserId(message.to)) return recipientNeedsPhone;
  const request = toZapiRequest(message, config);
  const result = await call(config, { method: "POST", ...request }, options);
  if (result.outcome !== "answered") return toFailureReceipt(result);
  return readZapiAnswer(result, readingContext(config, message.to));
}

function call(
  config: ZapiConfig,
  { path, ...request }: ZapiCall,
  options: ChannelCall,
): Promise<HttpResult> {
  return postJson({
    url: joinUrl(zapiBaseUrl(config), path),
    headers: config.clientToken === undefined ? {} : { "client-token": config.clientToken },
    ...request,
    ...options,
  });
}

function readingContext(config: ZapiConfig, recipient: string): ReadingContext {
  return {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, zapiSecretFields), recipient),
  };
}

/** Ends with the first call that is not done. */
async function act(
  config: ZapiConfig,
  action: ChannelAction,
  options: ChannelCall,
): Promise<ActionReceipt> {
  if (isUserId(action.to)) return recipientNeedsPhone;
  let receipt = actionNotSupported;
  for (const request of toZapiCalls(action, config)) {
    const result = await call(config, request, options);
    receipt = result.outcome === "answered"
      ? readZapiActionAnswer(action, result, readingContext(config, action.to))
      : toActionReceipt(toFailureReceipt(result));
    if (receipt.outcome !== "done") return receipt;
  }
  return receipt;
}
