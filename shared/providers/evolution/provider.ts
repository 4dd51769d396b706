/** The gateway Evolution API v2 (self-hosted). */
import type { ChannelAction } from "../action.ts";
import { actionNotSupported, toActionReceipt } from "../action_receipt.ts";
import { type ReadingContext, toFailureReceipt } from "../classification.ts";
import { joinUrl } from "../config_fields.ts";
import { readEvolutionActionAnswer, toEvolutionCall } from "./action.ts";
import { readEvolutionAnswer } from "./answer.ts";
import { type EvolutionConfig, evolutionSecretFields } from "./config.ts";
import { checkEvolutionContent, fitEvolutionContent } from "./content.ts";
import { listSecrets } from "../stored_config.ts";
import { locateEvolutionFile } from "./received_files.ts";
import { toEvolutionDelayMs, toEvolutionRequest } from "./request.ts";
import { postJson } from "../http/call.ts";
import type {
  ActionReceipt,
  ChannelCall,
  OutboundMessage,
  Provider,
  Receipt,
} from "../provider.ts";
import { isUserId, recipientNeedsPhone } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";

/**
 * The provider of an Evolution instance. It answers after it has shown typing, so a send may take
 * up to 20 s longer than `timeoutMs`.
 */
export function createEvolutionProvider(config: EvolutionConfig, instanceId: string): Provider {
  return {
    templates: null,
    files: null,
    checkContent: checkEvolutionContent,
    fitContent: fitEvolutionContent,
    limitTypingMs: toEvolutionDelayMs,
    locateFile: (source) => locateEvolutionFile(config, source),
    send: (message, options) => send(config, message, { ...options, instanceId }),
    typing: "by_itself",
    act: (action, options) => act(config, action, { ...options, instanceId }),
  };
}

async function send(
  config: EvolutionConfig,
  message: OutboundMessage,
  options: ChannelCall,
): Promise<Receipt> {
  if (isUserId(message.to)) return recipientNeedsPhone;
  const { path, body } = toEvolutionRequest(message, config);
  const result = await postJson({
    url: joinUrl(config.baseUrl, path),
    headers: { apikey: config.apiKey },
    body,
    ...options,
    timeoutMs: options.timeoutMs + toEvolutionDelayMs(message.delayTypingMs),
  });
  if (result.outcome !== "answered") return toFailureReceipt(result);
  return readEvolutionAnswer(result, readingContext(config, message.to));
}

function readingContext(config: EvolutionConfig, recipient: string): ReadingContext {
  return {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, evolutionSecretFields), recipient),
  };
}

async function act(
  config: EvolutionConfig,
  action: ChannelAction,
  options: ChannelCall,
): Promise<ActionReceipt> {
  if (isUserId(action.to)) return recipientNeedsPhone;
  const call = toEvolutionCall(action, config);
  if (call === undefined) return actionNotSupported;
  const { method, path, body, sleepMs } = call;
  const result = await postJson({
    method,
    url: joinUrl(config.baseUrl, path),
    headers: { apikey: config.apiKey },
    body,
    ...options,
    timeoutMs: options.timeoutMs + sleepMs,
  });
  if (result.outcome !== "answered") return toActionReceipt(toFailureReceipt(result));
  return readEvolutionActionAnswer(result, readingContext(config, action.to));
}
