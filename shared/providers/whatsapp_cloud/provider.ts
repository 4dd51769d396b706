/** The official channel: Meta's WhatsApp Cloud API. */
import { toFailureReceipt } from "../classification.ts";
import { postJson } from "../http/call.ts";
import type { OutboundMessage, Provider, Receipt, SendOptions } from "../provider.ts";
import { isLid, recipientNeedsPhone } from "../recipient.ts";
import { createRedactor } from "../http/redaction.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";
import { listSecrets } from "../stored_config.ts";
import { checkWhatsappCloudContent } from "./content.ts";
import { graphUrl } from "./graph.ts";
import { locateWhatsappCloudFile } from "./received_files.ts";
import { toWhatsappCloudRequest } from "./request.ts";
import { createWhatsappCloudFiles } from "./upload.ts";
import { checkWhatsappCloudTemplate, toWhatsappCloudTemplate } from "./template.ts";

/** The provider of an instance of the official channel. */
export function createWhatsappCloudProvider(config: WhatsappCloudConfig): Provider {
  return {
    templates: { check: checkWhatsappCloudTemplate, convert: toWhatsappCloudTemplate },
    files: createWhatsappCloudFiles(config),
    checkContent: checkWhatsappCloudContent,
    // The Cloud API shows typing only in reply to an inbound message's id.
    limitTypingMs: () => 0,
    locateFile: (source, options) => locateWhatsappCloudFile(config, source, options),
    send: (message, options) => send(config, message, options),
  };
}

async function send(
  config: WhatsappCloudConfig,
  message: OutboundMessage,
  options: SendOptions,
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
  return readWhatsappCloudAnswer(result, {
    nowMs: Date.now(),
    redact: createRedactor(listSecrets(config, whatsappCloudSecretFields), message.to),
  });
}

const notConfigured: Receipt = {
  outcome: "rejected",
  code: "provider_outbound_channel_not_configured",
  message: "The instance has no phoneNumberId.",
  retryable: false,
  scope: "instance",
};
