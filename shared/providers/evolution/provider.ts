/** The gateway Evolution API v2 (self-hosted). */
import { toFailureReceipt } from "../classification.ts";
import { joinUrl } from "../config_fields.ts";
import { readEvolutionAnswer } from "./answer.ts";
import { type EvolutionConfig, evolutionSecretFields } from "./config.ts";
import { listSecrets } from "../stored_config.ts";
import { locateEvolutionFile } from "./received_files.ts";
import { toEvolutionDelayMs, toEvolutionRequest } from "./request.ts";
import { checkGatewayContent } from "../gateway_content.ts";
import { postJson } from "../http/call.ts";
import type { OutboundMessage, Provider, Receipt, SendOptions } from "../provider.ts";
import { isUserId, recipientNeedsPhone } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";

/**
 * The provider of an Evolution instance. It answers after it has shown typing, so a send may take
 * up to 20 s longer than `timeoutMs`.
 */
export function createEvolutionProvider(config: EvolutionConfig): Provider {
  return {
    templates: null,
    files: null,
    checkContent: checkGatewayContent,
    limitTypingMs: toEvolutionDelayMs,
    locateFile: (source) => locateEvolutionFile(config, source),
    send: (message, options) => send(config, message, options),
  };
}

async function send(
  config: EvolutionConfig,
  message: OutboundMessage,
  options: SendOptions,
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
  return readEvolutionAnswer(result, {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, evolutionSecretFields), message.to),
  });
}
