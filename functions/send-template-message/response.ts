import { AppError, type RefusalBody } from "../../shared/model/errors.ts";
import type { StoredResponse } from "../../shared/idempotency/stored_response.ts";
import type { AcceptedOutcome } from "../../shared/database/rpcs/messages.ts";
import { readHold, type ShownHold } from "../../shared/model/hold.ts";
import type { MessageStatus } from "../../shared/model/message_status.ts";
import type { ProviderClass } from "../../shared/model/provider_kind.ts";
import type { Receipt } from "../../shared/providers/provider.ts";
import type { RespondToSending } from "../../shared/messages/sending_answer.ts";
import { describeAsked, toSentStatus } from "../../shared/messages/response.ts";
import type { StoredTemplate } from "../../shared/database/rpcs/templates.ts";
import type { AnswerOf } from "../../shared/model/response_fields.ts";
import type { sendTemplateMessageResponseSchema, TemplateMessageDescription } from "./contract.ts";

/** The success response of the contract, or the provider's error. */
export type TemplateResponse =
  | AnswerOf<typeof sendTemplateMessageResponseSchema>
  | RefusalBody;

/**
 * Builds the responses to a call for this template (specification 4.7): `messageId` and
 * `providerMessageId` are the provider's id, `internalMessageId` is this service's.
 */
export function createTemplateResponder(
  { templateId, name }: StoredTemplate,
  provider: ProviderClass,
  phone: string | null,
): RespondToSending<TemplateResponse> {
  const describe = (
    outcome: AcceptedOutcome,
    status: MessageStatus,
    messageId: string | null,
  ): TemplateMessageDescription => ({
    provider,
    templateId,
    templateName: name,
    phone,
    messageId,
    providerMessageId: messageId,
    internalMessageId: requireMessageId(outcome),
    status,
    ...describeWaiting(outcome, status),
    contactId: outcome.contactId,
    conversationId: outcome.conversationId,
    aiAgentPausedUntil: outcome.aiAgentPausedUntil,
    ...describeAsked(outcome),
    ...(outcome.payment === undefined ? {} : { payment: outcome.payment }),
  });
  return (outcome, receipt) => respond(outcome, receipt, (...how) => describe(outcome, ...how));
}

function respond(
  outcome: AcceptedOutcome,
  receipt: Receipt | null,
  describe: (status: MessageStatus, messageId: string | null) => TemplateMessageDescription,
): StoredResponse<TemplateResponse> {
  switch (receipt?.outcome) {
    case undefined:
      // No receipt: the message waits for the dispatcher, or has ended there.
      return {
        status: 200,
        body: { success: true, ...describe(outcome.status ?? "queued", null) },
      };
    case "accepted": {
      const status = toSentStatus(outcome.status);
      return {
        status: 200,
        body: { success: true, ...describe(status, receipt.providerMessageId) },
      };
    }
    case "rejected":
      return refuse("provider_template_send_failed", {
        ...describe("failed", null),
        details: { code: receipt.code, message: receipt.message },
        retryable: receipt.retryable,
      });
    case "unknown":
      return refuse("provider_outcome_unknown", {
        ...describe("unconfirmed", null),
        details: { reason: receipt.reason },
        retryable: false,
      });
  }
}

/** The schedule of a message that waits, or that ended while it waited. */
function describeWaiting(
  outcome: AcceptedOutcome,
  status: MessageStatus,
): Pick<TemplateMessageDescription, "mode" | "scheduledFor" | "heldBy" | keyof ShownHold> {
  const { mode, scheduledFor, heldBy } = outcome;
  const waits = status === "queued" || status === "canceled" || status === "expired";
  return waits && mode !== "assign_only"
    ? { mode, scheduledFor, heldBy, ...readHold(outcome) }
    : {};
}

function refuse(
  code: "provider_template_send_failed" | "provider_outcome_unknown",
  body: Record<string, unknown>,
): StoredResponse<RefusalBody> {
  const refusal = new AppError(code, { body });
  return { status: refusal.status, body: refusal.toBody() };
}

/** Returns the message's id. A template always has a message. */
function requireMessageId({ messageId }: AcceptedOutcome): string {
  if (messageId === null) throw new Error("a template was accepted without a message");
  return messageId;
}
