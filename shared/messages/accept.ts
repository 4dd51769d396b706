import type { Database } from "../database/database.ts";
import type { Idempotency, WrittenResponse } from "../idempotency/stored_response.ts";
import { type MessageContent, toStoredContent } from "../model/message_content.ts";
import type { ClaimedMessage } from "./claim.ts";

/** States of a message we send (decisions, section 5). They only move forward. */
export type MessageStatus =
  | "queued"
  | "sending"
  | "sent"
  | "delivered"
  | "read"
  | "failed"
  | "canceled"
  | "unconfirmed";

/** Why a message does not go at once. */
export type HeldBy = "interval" | "window" | "holiday" | "delay";

/** Seconds between queued messages where the call does not say (specification, section 8). */
export const defaultIntervalSeconds = 30;

/** A message to send, in the request's words. */
export interface MessageDraft {
  readonly content: MessageContent;
  /** What the history shows of a content that holds no words of its own: a template's wording. */
  readonly historyText?: string | undefined;
  readonly cardId?: string | undefined;
  readonly sentBy?: string | undefined;
  /** In milliseconds. */
  readonly delayTypingMs?: number | undefined;
}

/** To whom a conversation is to be given (specification 4.4, `assignTo` and its companions). */
export interface AssignmentRequest {
  /** Operator e-mail or UUID. */
  readonly assignTo: string;
  readonly portfolio?: boolean | undefined;
  readonly departmentId?: string | undefined;
}

/** The agent that opens a conversation or answers in it: the one named, else the only active one. */
export interface AgentRequest {
  readonly agentId?: string | undefined;
  /** Merged into the session's `collected_data`. */
  readonly collectedData?: Readonly<Record<string, unknown>> | undefined;
  /** For an answer: how many questions had been answered before, and how many it takes account of. */
  readonly answeredBefore?: number | undefined;
  readonly answersThrough?: number | undefined;
}

/** What `assign_conversation` decided. */
export interface AssignmentOutcome {
  readonly contactId: string;
  readonly assignedTo: string;
  readonly previousAssignedTo: string | null;
  readonly portfolio: boolean;
  readonly transferred: boolean;
  readonly departmentId: string | null;
}

/** When a message is to leave: at once, after a delay, or in its turn in the paced queue. */
export interface Delivery {
  readonly queued: boolean;
  readonly intervalSeconds: number;
  readonly delaySeconds: number;
  /** Left to the dispatcher, due at once: its retries are worth more than the moment. */
  readonly isDeferred?: boolean;
  /** How long an immediate send may hold its claim. */
  readonly leaseSeconds: number;
}

/** Everything that one sending call asks to be recorded at once. */
export interface AcceptRequest {
  readonly instanceId: string;
  readonly phone: string;
  readonly draft: MessageDraft | null;
  readonly assignment: AssignmentRequest | null;
  readonly agent?: AgentRequest;
  /** Null where there is no message. */
  readonly delivery: Delivery | null;
  readonly idempotency: Idempotency | null;
}

/** What the recording transaction decided; answers are a pure function of it. */
export interface AcceptedOutcome {
  readonly mode: "sent" | "queued" | "scheduled" | "assign_only";
  readonly contactId: string;
  readonly conversationId: string;
  /** Whose words the message is; null for anybody but an agent. */
  readonly agentId: string | null;
  readonly assignment: AssignmentOutcome | null;
  readonly messageId: string | null;
  readonly status: MessageStatus | null;
  readonly scheduledFor: string | null;
  readonly heldBy: HeldBy | null;
  readonly aiAgentPausedUntil: string | null;
}

/** The claim that an immediate send holds: whom to send to, and what settling must show. */
export interface ImmediateClaim {
  readonly claimToken: string | null;
  readonly to: string | null;
}

/** A message whose first answer does not stand any more, as it stands now. */
export interface StandingMessage {
  readonly status: MessageStatus;
  readonly providerMessageId: string | null;
  readonly scheduledFor: string | null;
  readonly heldBy: HeldBy | null;
  readonly lastError: { readonly code: string; readonly message: string } | null;
  /** Whether it failed by a refusal that the provider calls temporary. */
  readonly isRetryable: boolean;
}

/** What an earlier call with the same Idempotency-Key came to; see `describe_kept_outcome`. */
export interface Replay {
  readonly outcome: AcceptedOutcome;
  /** The first answer where it stands, if the provider's answer is part of it. */
  readonly response: WrittenResponse | null;
  /** Null where the first answer stands. */
  readonly message: StandingMessage | null;
  /** Whether the message is tried again by a call with this key. */
  readonly isAttemptDue: boolean;
}

/** Another attempt of an earlier call's message: what to send, with the claim on it. */
export interface Attempt {
  readonly outcome: AcceptedOutcome;
  readonly message: ClaimedMessage;
}

/** What was recorded now, or what an earlier call under the same Idempotency-Key came to. */
export type AcceptResult =
  | (AcceptedOutcome & ImmediateClaim)
  | { readonly attempted: Attempt }
  | { readonly replayed: Replay };

/** Records a sending call in one transaction; see the SQL function `accept_message`. */
export function acceptMessage(database: Database, request: AcceptRequest): Promise<AcceptResult> {
  const { draft } = request;
  return database.rpc("accept_message", {
    instanceId: request.instanceId,
    phone: request.phone,
    idempotency: request.idempotency,
    assignment: request.assignment,
    agent: request.agent ?? null,
    message: draft === null ? null : {
      ...toStoredContent({ message: draft.historyText, ...draft.content }),
      cardId: draft.cardId,
      sentBy: draft.sentBy,
      delayTypingMs: draft.delayTypingMs,
    },
    delivery: request.delivery,
  });
}
