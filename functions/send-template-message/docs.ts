import {
  demoContactId,
  demoConversationId,
  demoInstanceRef,
  demoPhone,
  demoQueuedMessageId,
  demoSentMessageId,
  demoTemplateId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  sendTemplateMessageFailureSchema,
  sendTemplateMessageResponseSchema,
  sendTemplateMessageSchema,
} from "./contract.ts";

/** The operations of send-template-message (specification 4.7). */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "sendTemplateMessage",
  ignoresParameters: true,
  tag: "Messages",
  summary: "Send a stored template",
  description:
    "Sends a template with its variables filled in. On the official channel, a template is the only way to write to a contact whose last message is more than 24 hours old; the template must be approved and synchronized. On a gateway, the template is rendered and sent as a normal message.\n\n" +
    "Keys of `variables`: the body's variables (their names, or `1`, `2` ... by `parameterFormat`); `nome` and `telefone`, taken from the contact when omitted; `header` for a text variable, or the file of a media header (its URL, or an object with `id` or `link`); `button_1` to `button_3`, the suffixes of dynamic URLs by position; `button_1_payload`, the payload of a quick reply. Static parts are always included. In place of `templateId`, `template {name, language}` names the template: this instance's, then the workspace's. A missing contact is created.\n\n" +
    "`queued`, `intervalSeconds`, `delayMessage` and `sendAt` mean what they mean in send-message; the answer then also has `mode`, `scheduledFor` and `heldBy`, and `messageId` is null until the provider has accepted the message.",
  access: "clientToken",
  body: sendTemplateMessageSchema,
  isIdempotent: true,
  success: {
    description: "The message, sent or waiting.",
    schema: sendTemplateMessageResponseSchema,
  },
  errors: [
    "templateId and phone are required",
    "invalid_phone",
    "template_not_synced_with_provider",
    "template_not_approved",
    "missing_variables",
    "provider_outbound_channel_not_configured",
    "Template does not belong to this instance",
    "Template not found",
    "template_ambiguous",
    "contact_not_found",
    "recipient_needs_phone",
    "send_window_never_opens",
    "contact_blocked",
    "contact_opted_out",
    "provider_template_send_failed",
    "provider_outcome_unknown",
  ],
  failure: sendTemplateMessageFailureSchema,
  fields: {
    expiresAt:
      "End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future.",
    instanceId: "The instance, in any of the three forms. Default: the token's instance.",
    sentBy:
      "Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. None of them pauses the agent.",
    pauseAgent:
      "True pauses the AI agent for this contact, as a message of send-message does. Without it no template pauses the agent.",
    provider: "Type of provider: the official channel or a gateway.",
    templateName: "Name of the template.",
    templateId: "Id of the template.",
    template:
      "The template by its name, in place of `templateId`: this instance's, then the workspace's; several that fit are 409 `template_ambiguous`.",
    "template.name": "Name of the template.",
    "template.language": "Language of the template, such as `pt_BR`.",
    variables: "Values of the template's variables, by key.",
    messageId: "The provider's id of the message; null while the message waits.",
    intervalSeconds:
      "Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30.",
    providerMessageId: "The same, by the name that every other answer has for it.",
    internalMessageId: "The message's UUID in this service.",
  },
  examples: [{
    name: "named_variables",
    summary: "A template with a custom variable and the contact's name",
    request: {
      templateId: demoTemplateId,
      instanceId: demoInstanceRef,
      phone: demoPhone,
      variables: { nome: "João", pedido: "4711" },
      cardId: "order-4711",
      metadata: { orderId: "4711" },
    },
    response: {
      success: true,
      provider: "gateway",
      templateId: demoTemplateId,
      templateName: "pedido_enviado",
      phone: demoPhone,
      messageId: "3EB0C767D097B7C7C030",
      providerMessageId: "3EB0C767D097B7C7C030",
      internalMessageId: demoSentMessageId,
      status: "sent",
      contactId: demoContactId,
      conversationId: demoConversationId,
      aiAgentPausedUntil: null,
    },
  }, {
    name: "queued_reminder",
    summary: "A template through the paced queue, not before tomorrow morning",
    request: {
      templateId: demoTemplateId,
      instanceId: demoInstanceRef,
      phone: demoPhone,
      variables: { nome: "João", pedido: "4711" },
      queued: true,
      intervalSeconds: 60,
      sendAt: "2026-11-24T09:00:00-03:00",
      sentBy: "automation",
    },
    response: {
      success: true,
      provider: "gateway",
      templateId: demoTemplateId,
      templateName: "pedido_enviado",
      phone: demoPhone,
      messageId: null,
      providerMessageId: null,
      internalMessageId: demoQueuedMessageId,
      status: "queued",
      mode: "queued",
      scheduledFor: "2026-11-24T09:00:00.000-03:00",
      heldBy: "delay",
      contactId: demoContactId,
      conversationId: demoConversationId,
      aiAgentPausedUntil: null,
    },
  }],
}];
