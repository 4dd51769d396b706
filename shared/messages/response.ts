import { AppError } from "../model/errors.ts";
import type { StoredResponse } from "../idempotency/stored_response.ts";
import type { AcceptedOutcome, AssignmentOutcome } from "../database/rpcs/messages.ts";
import type { MessageStatus } from "../model/message_status.ts";
import type { Receipt } from "../providers/provider.ts";

/** The official channel's code for "more than 24 hours since the contact last wrote". */
const outsideWindowCode = "131047";

/**
 * The answer of `send-message` and the endpoints like it (decisions, section 5). `receipt` is the
 * provider's for an immediate send, null for a message that waits. A refusal has no `mode`, which says
 * how a message went out.
 */
export function respondToSending(
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
): StoredResponse {
  if (receipt === null) {
    const body = {
      success: true,
      mode: outcome.mode,
      ...describeOutcome(outcome, outcome.status, null),
    };
    return { status: 200, body };
  }
  switch (receipt.outcome) {
    case "accepted": {
      const description = describeOutcome(
        outcome,
        toSentStatus(outcome.status),
        receipt.providerMessageId,
      );
      return { status: 200, body: { success: true, mode: outcome.mode, ...description } };
    }
    case "rejected":
      return refuse(
        receipt.code === outsideWindowCode ? "outside_conversation_window" : "provider_send_failed",
        {
          ...describeOutcome(outcome, "failed", null),
          details: { code: receipt.code, message: receipt.message },
          retryable: receipt.retryable,
        },
      );
    case "unknown":
      return refuse("provider_outcome_unknown", {
        ...describeOutcome(outcome, "unconfirmed", null),
        details: { reason: receipt.reason },
        retryable: false,
      });
  }
}

/** The status of a message that its provider has accepted: `sent`, or a later one. */
export function toSentStatus(status: MessageStatus | null): MessageStatus {
  return status === "delivered" || status === "read" ? status : "sent";
}

function refuse(
  code: "outside_conversation_window" | "provider_send_failed" | "provider_outcome_unknown",
  body: Record<string, unknown>,
): StoredResponse {
  const refusal = new AppError(code, { body });
  return { status: refusal.status, body: refusal.toBody() };
}

function describeOutcome(
  outcome: AcceptedOutcome,
  status: MessageStatus | null,
  providerMessageId: string | null,
): Record<string, unknown> {
  return {
    contactId: outcome.contactId,
    conversationId: outcome.conversationId,
    ...(outcome.messageId === null ? {} : {
      messageId: outcome.messageId,
      providerMessageId,
      status,
      scheduledFor: outcome.scheduledFor,
      heldBy: outcome.heldBy,
    }),
    ...(outcome.assignment === null ? {} : { assignment: describeAssignment(outcome.assignment) }),
    aiAgentPausedUntil: outcome.aiAgentPausedUntil,
  };
}

/** The fields of `conversations-api/assign` (specification 4.1). */
export function describeAssignment(assignment: AssignmentOutcome): AssignmentOutcome {
  const { contactId, assignedTo, previousAssignedTo, portfolio, transferred, departmentId } =
    assignment;
  return {
    contactId,
    assignedTo,
    previousAssignedTo,
    portfolio,
    transferred,
    departmentId,
  };
}
