import {
  demoAgentId,
  demoContactId,
  demoConversationId,
  demoInstanceRef,
  demoPhone,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
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
  tag: "AI agent",
  summary: "Let the AI agent open a conversation",
  description:
    "Sends the first message as the agent, not as a person. The conversation is linked to the agent, which speaks only after the contact has replied. `externalContext` is kept with the conversation: the agent sees each key as the variable `{{key}}` of its instructions. `messageText` is filled in the same way, with `{{nome}}` and `{{telefone}}` of the contact too; variables without a value stay as written.\n\n" +
    "The agent answers a contact at most 30 times an hour. Beyond that it is paused until the hour is over, and a note in the conversation says so.\n\n" +
    "`agentId` is needed only when the instance has several active agents. A missing contact is created.",
  access: "clientToken",
  body: processAiAgentSchema,
  isIdempotent: true,
  success: {
    description: "What was sent or queued, and by which agent.",
    schema: processAiAgentResponseSchema,
  },
  errors: [
    "invalid_phone",
    "agent_id_required",
    "agent_not_found",
    "provider_outbound_channel_not_configured",
    "contact_blocked",
    "outside_conversation_window",
    "send_window_never_opens",
    "provider_send_failed",
    "provider_outcome_unknown",
  ],
  failure: processAiAgentFailureSchema,
  fields: {
    agentId: "Agent of the instance.",
    intervalSeconds:
      "Seconds between this queued message and the one before it on the instance; 30 when omitted.",
    sentBy:
      "Who asked for it, in the caller's own words: kept with the message and given back in the history. It changes nothing else: the message counts as the agent's and never pauses it. `api` when omitted.",
    mode:
      "Whether the message went at once or waits in the queue. `scheduled`: a repeated call, whose message waits for another attempt.",
  },
  examples: [{
    name: "proactive",
    summary: "A reminder with data of the caller's own system",
    request: {
      instanceId: demoInstanceRef,
      phone: demoPhone,
      messageText: "Oi! Vi que você deixou um carrinho aberto. Posso ajudar?",
      initiateConversation: true,
      externalContext: { customerName: "João", cartTotal: "R$ 350,00" },
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
    },
  }],
}];
