import {
  demoAgentId,
  demoContactId,
  demoConversationId,
  demoInstanceRef,
  demoPhone,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import { answeredMeanings } from "../../shared/model/refusal_meaning.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  processAiAgentFailureSchema,
  processAiAgentResponseSchema,
  processAiAgentSchema,
} from "./contract.ts";

/** The operations of process-ai-agent (specification 4.5). */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "processAiAgent",
  ignoresParameters: true,
  tag: "AI agent",
  summary: "Start a conversation with the AI agent",
  description:
    "Sends the first message on behalf of the agent, not of a person. The conversation is linked to the agent, which replies only after the contact has replied. `externalContext` is stored with the conversation: each key is available to the agent's instructions as the variable `{{key}}`. `messageText` can use the same variables, and `{{nome}}` and `{{telefone}}` of the contact. Variables without a value are left unchanged.\n\n" +
    "The agent replies to a contact at most 30 times per hour. After that it is paused until the hour has passed, and an internal note records the pause.\n\n" +
    "`agentId` is required only when the instance has several active agents. A missing contact is created.",
  access: "clientToken",
  body: processAiAgentSchema,
  isIdempotent: true,
  success: {
    description: "The sent or queued message and its agent.",
    schema: processAiAgentResponseSchema,
  },
  errors: [
    "invalid_phone",
    "agent_id_required",
    "agent_not_found",
    "provider_outbound_channel_not_configured",
    "Template does not belong to this instance",
    "Template not found",
    "template_ambiguous",
    "contact_not_found",
    "recipient_needs_phone",
    "contact_blocked",
    "contact_opted_out",
    ...answeredMeanings,
    "send_window_never_opens",
    "provider_send_failed",
    "provider_outcome_unknown",
  ],
  failure: processAiAgentFailureSchema,
  fields: {
    expiresAt:
      "End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future.",
    agentId: "Agent of the instance.",
    intervalSeconds:
      "Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30.",
    sentBy:
      "Origin of the call, chosen by the caller; stored with the message and returned in the history. It has no other effect: the message counts as sent by the agent and never pauses it. Default: `api`.",
    pauseAgent: "Taken as in every sending call, and without effect: this call pauses no agent.",
    metadata:
      "Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. The agent's later replies have none.",
    mode:
      "`sent`: sent immediately. `queued`: waits in the queue. `scheduled`: a repeated call whose message waits for another attempt.",
  },
  examples: [{
    name: "proactive",
    summary: "A reminder with data from the caller's system",
    request: {
      instanceId: demoInstanceRef,
      phone: demoPhone,
      messageText: "Oi! Vi que você deixou um carrinho aberto. Posso ajudar?",
      initiateConversation: true,
      externalContext: { customerName: "João", cartTotal: "R$ 350,00" },
      metadata: { cartId: "c-981" },
    },
    response: {
      success: true,
      mode: "sent",
      contactId: demoContactId,
      conversationId: demoConversationId,
      messageId: demoSentMessageId,
      providerMessageId: "3EB0C767D097B7C7C030",
      status: "sent",
      scheduledFor: null,
      heldBy: null,
      agentId: demoAgentId,
      aiAgentPausedUntil: null,
    },
  }],
}];
