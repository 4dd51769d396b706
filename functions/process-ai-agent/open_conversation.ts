import {
  type FilledText,
  fillMessageText,
  listAgentVariables,
} from "../../shared/agents/variables.ts";
import { fitToChannel } from "../../shared/messages/channel_validation.ts";
import type { Database } from "../../shared/database/database.ts";
import { AppError, type RefusalBody } from "../../shared/model/errors.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import type { StoredResponse } from "../../shared/idempotency/stored_response.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { Instance } from "../../shared/model/instance.ts";
import type { AcceptedOutcome } from "../../shared/database/rpcs/messages.ts";
import type { Receipt } from "../../shared/providers/provider.ts";
import { readTiming } from "../../shared/model/timing.ts";
import { toLeaseSeconds } from "../../shared/messages/claim.ts";
import { executeSending, type SendingServices } from "../../shared/messages/send.ts";
import type { SendingAnswer } from "../../shared/messages/sending_answer.ts";
import { limitHandingOverMs } from "../../shared/messages/message_file.ts";
import { prepareLadder } from "../../shared/messages/ladder.ts";
import { respondToSending } from "../../shared/messages/response.ts";
import type { NoteIgnored } from "../../shared/templates/variable_keys.ts";
import {
  maxMessageLength,
  type ProcessAiAgentRequest,
  type ProcessAiAgentResponse,
} from "./contract.ts";

/** A valid call. */
export interface OpenConversationCall {
  readonly instance: Instance;
  readonly request: ProcessAiAgentRequest;
  readonly idempotency: Idempotency | null;
  readonly noteIgnored: NoteIgnored;
}

/**
 * Sends or queues the first message as the agent, and links the agent to the conversation
 * (specification 4.5). The model is not called until the contact replies. The call does not pause
 * the agent.
 */
export async function openConversation(
  services: SendingServices,
  { instance, request, idempotency, noteIgnored }: OpenConversationCall,
): Promise<SendingAnswer<ProcessAiAgentResponse | RefusalBody>> {
  const provider = await services.openProvider(instance);
  const { text: message, unfilled } = await fillOpening(services.database, instance, request);
  const content = { messageType: "text", message } as const;
  fitToChannel(instance, provider, content, {}, { message: "messageText" });
  const recipient = readRecipient(request);
  const channel = { instance, provider };
  const { outsideWindow } = request;
  const prepared = await prepareLadder(services, channel, outsideWindow, {
    ...recipient,
    content,
    noteIgnored,
  });
  const handingOverMs = limitHandingOverMs(provider, prepared ?? null);
  return await executeSending(services, { instance, provider }, {
    ...recipient,
    draft: {
      content,
      ...prepared,
      sentBy: request.sentBy,
      metadata: request.metadata,
      purpose: request.purpose,
    },
    assignment: null,
    agent: { agentId: request.agentId, collectedData: request.externalContext },
    delivery: {
      queued: request.queued ?? false,
      intervalSeconds: request.intervalSeconds ?? null,
      delaySeconds: 0,
      timing: readTiming(request),
      leaseSeconds: toLeaseSeconds(services.providerTimeoutMs + handingOverMs),
    },
    idempotency,
  }, (outcome, receipt) => respond(outcome, receipt, unfilled));
}

/**
 * Converts send-message's response: names the agent.
 *
 * @throws Error for an outcome without a message or an agent: a defect.
 */
function respond(
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
  unfilled: readonly string[],
): StoredResponse<ProcessAiAgentResponse | RefusalBody> {
  const { agentId } = outcome;
  const named = unfilled.length === 0 ? {} : { unfilled: [...unfilled] };
  const { status, body } = respondToSending(outcome, receipt);
  if (!body.success) {
    return { status, body: { ...body, agentId, ...named } };
  }
  if (body.mode === "assign_only" || agentId === null) {
    throw new Error("accept_message recorded no message of an agent");
  }
  const { assignment: _none, ...described } = body;
  return { status, body: { ...described, agentId, ...named } };
}

/**
 * Fills the variables of `messageText` (decisions, section 6). Takes values from the conversation's
 * external context first, then the contact's name and phone. Leaves unknown variables unchanged.
 */
async function fillOpening(
  database: Database,
  instance: Instance,
  request: ProcessAiAgentRequest,
): Promise<FilledText> {
  const { messageText, externalContext } = request;
  if (!messageText.includes("{{")) return { text: messageText, unfilled: [] };
  const known = await database.rpc("read_agent_variables", {
    instanceId: instance.instanceId,
    ...readRecipient(request),
  });
  const variables = listAgentVariables(
    { name: known.name, phone: known.phone ?? request.phone ?? null },
    known.collectedData,
    externalContext,
  );
  const filled = fillMessageText(messageText, variables, maxMessageLength);
  if (filled !== null) return filled;
  throw new AppError("invalid_request", {
    issues: [{
      path: "messageText",
      message: `must have at most ${maxMessageLength} characters with its variables filled`,
    }],
  });
}
