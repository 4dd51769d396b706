import { AppError, type RefusalBody } from "../model/errors.ts";
import type { StoredResponse } from "../idempotency/stored_response.ts";
import type { AcceptedOutcome, MessageFit } from "../database/rpcs/messages.ts";
import { readHold, type ShownHold } from "../model/hold.ts";
import type { HeldBy, MessageStatus, SendingMode } from "../model/message_status.ts";
import { readShownLadder, type ShownLadder } from "../model/outside_window.ts";
import type { AssignmentOutcome } from "../model/response_fields.ts";
import { toErrorCode } from "../model/refusal_meaning.ts";
import type { Receipt } from "../providers/provider.ts";

/** The result of a successful call: a message, an assignment, or both. */
export type SendingSuccess =
  & {
    readonly success: true;
    readonly contactId: string;
    readonly conversationId: string;
    readonly aiAgentPausedUntil: string | null;
  }
  & (
    | {
      readonly mode: SendingMode;
      readonly messageId: string;
      readonly providerMessageId: string | null;
      readonly status: MessageStatus;
      readonly scheduledFor: string | null;
      readonly heldBy: HeldBy | null;
      readonly assignment?: AssignmentOutcome;
    }
      & Partial<ShownHold>
      & MessageFit
      & ShownLadder
    | { readonly mode: "assign_only"; readonly assignment: AssignmentOutcome }
  );

/**
 * The answer of `send-message` and the endpoints like it (decisions, section 5). `receipt` is the
 * provider's for an immediate send, null for a message that waits. A refusal has no `mode`, which says
 * how a message went out.
 */
export function respondToSending(
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
): StoredResponse<SendingSuccess | RefusalBody> {
  if (receipt === null) return { status: 200, body: describeSuccess(outcome, null) };
  switch (receipt.outcome) {
    case "accepted": {
      const status = toSentStatus(outcome.status);
      const body = describeSuccess({ ...outcome, status }, receipt.providerMessageId);
      return { status: 200, body };
    }
    case "rejected":
      return refuse(toErrorCode(receipt.meaning), {
        ...describeOutcome(outcome, "failed", null),
        details: {
          code: receipt.code,
          message: receipt.message,
          ...(receipt.rungs === undefined ? {} : { rungs: receipt.rungs }),
        },
        retryable: receipt.retryable,
      });
    case "unknown":
      return refuse("provider_outcome_unknown", {
        ...describeOutcome(outcome, "unconfirmed", null),
        details: { reason: receipt.reason },
        retryable: false,
      });
  }
}

/** @throws Error for an outcome with neither message nor assignment: a defect. */
function describeSuccess(
  outcome: AcceptedOutcome,
  providerMessageId: string | null,
): SendingSuccess {
  const { mode, contactId, conversationId, messageId, status, scheduledFor, heldBy } = outcome;
  const { assignment, aiAgentPausedUntil } = outcome;
  const success = true;
  const assigned = assignment === null ? {} : { assignment: describeAssignment(assignment) };
  const recipient = { contactId, conversationId };
  if (mode !== "assign_only" && messageId !== null && status !== null) {
    const waiting = { scheduledFor, heldBy, ...readHold(outcome) };
    const message = { messageId, providerMessageId, status, ...waiting };
    const fit = { ...describeFit(outcome), ...readShownLadder(outcome) };
    return { success, mode, ...recipient, ...message, ...fit, ...assigned, aiAgentPausedUntil };
  }
  if (mode !== "assign_only" || assigned.assignment === undefined) {
    throw new Error("accept_message recorded neither a message nor an assignment");
  }
  return { success, mode, ...recipient, assignment: assigned.assignment, aiAgentPausedUntil };
}

/** What an answer says of the question that a message asks. */
export function describeAsked(
  { questionId, sealedNotify }: AcceptedOutcome,
): Pick<MessageFit, "questionId" | "sealedNotify"> {
  return {
    ...(questionId === undefined ? {} : { questionId }),
    ...(sealedNotify === undefined ? {} : { sealedNotify }),
  };
}

function describeFit(outcome: AcceptedOutcome): MessageFit {
  const { rendering, reduced, payment } = outcome;
  return {
    ...describeAsked(outcome),
    ...(rendering === undefined ? {} : { rendering }),
    ...(reduced === undefined ? {} : { reduced }),
    ...(payment === undefined ? {} : { payment }),
  };
}

/** The status of a message that its provider has accepted: `sent`, or a later one. */
export function toSentStatus(status: MessageStatus | null): MessageStatus {
  return status === "delivered" || status === "read" ? status : "sent";
}

function refuse(
  code: ReturnType<typeof toErrorCode> | "provider_outcome_unknown",
  body: Record<string, unknown>,
): StoredResponse<RefusalBody> {
  const refusal = new AppError(code, { body });
  return { status: refusal.status, body: refusal.toBody() };
}

/** What a refusal after the call was recorded says of it: as a success, with what there is. */
type RefusedOutcome =
  & Pick<AcceptedOutcome, "contactId" | "conversationId" | "aiAgentPausedUntil">
  & Partial<Pick<AcceptedOutcome, "messageId" | "scheduledFor" | "heldBy">>
  & Partial<ShownHold>
  & MessageFit
  & ShownLadder
  & {
    readonly providerMessageId?: string | null;
    readonly status?: MessageStatus | null;
    readonly assignment?: AssignmentOutcome;
  };

function describeOutcome(
  outcome: AcceptedOutcome,
  status: MessageStatus | null,
  providerMessageId: string | null,
): RefusedOutcome {
  return {
    contactId: outcome.contactId,
    conversationId: outcome.conversationId,
    ...(outcome.messageId === null ? {} : {
      messageId: outcome.messageId,
      providerMessageId,
      status,
      scheduledFor: outcome.scheduledFor,
      heldBy: outcome.heldBy,
      ...readHold(outcome),
      ...describeFit(outcome),
      ...readShownLadder(outcome),
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
