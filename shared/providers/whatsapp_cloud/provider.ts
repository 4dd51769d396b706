/** The official channel: Meta's WhatsApp Cloud API. */
import type { ChannelAction } from "../action.ts";
import { actionNotSupported, toActionReceipt } from "../action_receipt.ts";
import { type ReadingContext, toFailureReceipt } from "../classification.ts";
import { postJson } from "../http/call.ts";
import type {
  ActionReceipt,
  ChannelCall,
  OutboundMessage,
  Provider,
  Receipt,
} from "../provider.ts";
import { isLid, recipientNeedsPhone } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";
import { readWhatsappCloudActionAnswer, toWhatsappCloudCall } from "./action.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";
import { listSecrets } from "../stored_config.ts";
import { checkWhatsappCloudContent, fitWhatsappCloudContent } from "./content.ts";
import { graphUrl } from "./graph.ts";
import { locateWhatsappCloudFile } from "./received_files.ts";
import { toWhatsappCloudRequest } from "./request.ts";
import { createWhatsappCloudFiles } from "./upload.ts";
import { checkWhatsappCloudTemplate, toWhatsappCloudTemplate } from "./template.ts";

/** The provider of an instance of the official channel. */
export function createWhatsappCloudProvider(
  config: WhatsappCloudConfig,
  instanceId: string,
): Provider {
  return {
    templates: { check: checkWhatsappCloudTemplate, convert: toWhatsappCloudTemplate },
    files: createWhatsappCloudFiles(config, instanceId),
    checkContent: checkWhatsappCloudContent,
    fitContent: fitWhatsappCloudContent,
    // The Cloud API shows typing only in reply to an inbound message's id.
    limitTypingMs: () => 0,
    locateFile: (source, options) =>
      locateWhatsappCloudFile(config, source, { ...options, instanceId }),
    send: (message, options) => send(config, message, { ...options, instanceId }),
    typing: "with_read",
    act: (action, options) => act(config, action, { ...options, instanceId }),
  };
}

async function send(
  config: WhatsappCloudConfig,
  message: OutboundMessage,
  options: ChannelCall,
): Promise<Receipt> {
  if (config.phoneNumberId === undefined) return notConfigured;
  if (isLid(message.to)) return recipientNeedsPhone;
  const { path, body } = toWhatsappCloudRequest(message, config);
  const result = await postJson({
    url: graphUrl(config, path),
    headers: { authorization: `Bearer ${config.accessToken}` },
    body,
    ...options,
  });
  if (result.outcome !== "answered") return toFailureReceipt(result);
  return readWhatsappCloudAnswer(result, readingContext(config, message.to));
}

function readingContext(config: WhatsappCloudConfig, recipient: string): ReadingContext {
  return {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, whatsappCloudSecretFields), recipient),
  };
}

async function act(
  config: WhatsappCloudConfig,
  action: ChannelAction,
  options: ChannelCall,
): Promise<ActionReceipt> {
  if (config.phoneNumberId === undefined) return notConfigured;
  if (action.action !== "mark_read" && isLid(action.to)) return recipientNeedsPhone;
  const call = toWhatsappCloudCall(action, config, config.phoneNumberId);
  if (call === undefined) return actionNotSupported;
  const { path, ...request } = call;
  const result = await postJson({
    url: graphUrl(config, path),
    headers: { authorization: `Bearer ${config.accessToken}` },
    ...request,
    ...options,
  });
  if (result.outcome !== "answered") return toActionReceipt(toFailureReceipt(result));
  return readWhatsappCloudActionAnswer(action, result, readingContext(config, action.to));
}

const notConfigured: Extract<Receipt, { readonly outcome: "rejected" }> = {
  outcome: "rejected",
  code: "provider_outbound_channel_not_configured",
  message: "The instance has no phoneNumberId.",
  retryable: false,
  scope: "instance",
};
