import type { Database } from "../database/database.ts";
import type {
  AcceptMessageRequest,
  AcceptResult,
  AgentRequest,
  AuthenticationRequest,
  MessageFit,
  NewMessage,
  StoredLadder,
} from "../database/rpcs/messages.ts";
import type { SendableFile } from "../database/rpcs/media_uploads.ts";
import type { RateLimit } from "../database/rpcs/tenancy.ts";
import { DatabaseError, type OwnSqlstate } from "../database/sqlstates.ts";
import { AppError } from "../model/errors.ts";
import type { StoredAsk } from "../model/ask.ts";
import { type StoredContent, toStoredContent } from "../model/message_content.ts";
import type { FittedContent } from "./channel_validation.ts";
import type { HeaderFiles } from "./header_files.ts";
import { readRecipient } from "../model/request_fields.ts";
import { type CallerFields, readCallerFields } from "../model/caller_fields.ts";
import { describeAskedPayment, type PaymentPart } from "../model/payment.ts";
import type { Purpose } from "../model/purpose.ts";

/** A message to send. */
export interface MessageDraft extends FittedContent, CallerFields {
  /** The message of the same contact that it answers. */
  readonly replyTo?: string | undefined;
  /** The file of ours that the content's `mediaUrl` leads to, in whose place it is stored. */
  readonly mediaId?: string | undefined;
  /** The same file as the channel needs it; undefined where it was not there when it was looked up. */
  readonly file?: SendableFile | undefined;
  /** The text that the history shows for a content without one: a template, filled. */
  readonly historyText?: string | undefined;
  /** What the buttons of a template ask to be paid. A payment request has it in its content. */
  readonly payment?: PaymentPart | undefined;
  /** Undefined for `service`. */
  readonly purpose?: Purpose | undefined;
  readonly sentBy?: string | undefined;
  /** Whether the channel carries it to a phone alone, not to a user id. */
  readonly needsPhone?: boolean | undefined;
  /** Undefined for true. */
  readonly pauseAgent?: boolean | undefined;
  /** In milliseconds. */
  readonly delayTypingMs?: number | undefined;
  /** What happens outside the conversation window; undefined for a refusal. */
  readonly ladder?: StoredLadder | undefined;
  /** The files of the ladder's headers. */
  readonly headerFiles?: HeaderFiles | undefined;
  /** The question that it asks; undefined for none. */
  readonly ask?: StoredAsk | undefined;
}

/** A call that the transaction that records it must authenticate, and count against the rate limit. */
export interface PendingAuthentication extends AuthenticationRequest {
  /** Told once the call is recorded, before anything is sent. */
  readonly confirm: (rateLimit: RateLimit | null) => void;
  /** Told when the transaction had authenticated the call, then refused it, and was rolled back. */
  readonly refuse: () => void;
}

/** Everything that one sending call asks to be recorded at once. */
export type AcceptRequest = Omit<AcceptMessageRequest, "message" | "agent" | "authentication"> & {
  readonly draft: MessageDraft | null;
  readonly agent?: AgentRequest;
  /** Undefined or null where the caller has authenticated the call. */
  readonly authentication?: PendingAuthentication | null | undefined;
};

/** SQLSTATE of `accept_message`: the caller must authenticate anew. */
const mustAuthenticate: OwnSqlstate = "MI022";

/** The client was not authenticated with what the call was prepared with. Nothing was recorded. */
export class StaleAuthenticationError extends Error {
  override readonly name = "StaleAuthenticationError";
}

/**
 * Records a sending call in one transaction; see the SQL function `accept_message`.
 *
 * @throws {StaleAuthenticationError} where its `authentication` fails.
 */
export async function acceptMessage(
  database: Database,
  request: AcceptRequest,
): Promise<AcceptResult> {
  const { authentication } = request;
  if (!authentication) return await recordCall(database, request, null);
  const { confirm, refuse, ...pending } = authentication;
  try {
    const accepted = await recordCall(database, request, pending);
    confirm(accepted.rateLimit ?? null);
    return accepted;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === mustAuthenticate) {
      throw new StaleAuthenticationError("the client must be authenticated anew");
    }
    if (error instanceof AppError && error.code !== "service_unavailable") refuse();
    throw error;
  }
}

function recordCall(
  database: Database,
  request: AcceptRequest,
  authentication: AuthenticationRequest | null,
): Promise<AcceptResult> {
  const { draft } = request;
  return database.rpc("accept_message", {
    ...(authentication === null ? {} : { authentication }),
    instanceId: request.instanceId,
    ...readRecipient(request),
    idempotency: request.idempotency,
    assignment: request.assignment,
    agent: request.agent ?? null,
    message: draft === null ? null : toNewMessage(draft),
    delivery: request.delivery,
  });
}

function toNewMessage(draft: MessageDraft): NewMessage {
  return {
    ...withAsk(storeContent(draft), draft.ask),
    ...readCallerFields(draft),
    purpose: draft.purpose === "service" ? undefined : draft.purpose,
    sentBy: draft.sentBy,
    delayTypingMs: draft.delayTypingMs,
    // Undefined for most messages, which the fast path records.
    needsPhone: draft.needsPhone === true ? true : undefined,
    replyTo: draft.replyTo,
    pausesAgent: draft.pauseAgent === false ? false : undefined,
    ladder: draft.ladder,
    fallsBack: draft.fallsBack,
  };
}

/** What is stored of a draft with the question that it asks, which the call's answer names. */
export function withAsk(stored: StoredDraft, ask: StoredAsk | undefined): StoredDraft {
  if (ask === undefined) return stored;
  const { questionId, sealedNotify } = ask;
  const told = { questionId, ...(sealedNotify === undefined ? {} : { sealedNotify }) };
  return { ...stored, ask, fit: { ...stored.fit, ...told } };
}

/** A message of an agent's answer. One that asks is the only one. */
export type AnswerDraft = FittedContent & Pick<MessageDraft, "ask">;

/** An agent's answer, as the messages that it is made of. */
export interface AcceptedAnswer {
  readonly instanceId: string;
  readonly phone: string;
  readonly drafts: readonly AnswerDraft[];
  readonly agent: AgentRequest;
}

/**
 * Records an agent's answer in one transaction. The dispatcher sends its messages one after the other; see
 * the SQL function `accept_answer`.
 */
export async function acceptAnswer(
  database: Database,
  { instanceId, phone, drafts, agent }: AcceptedAnswer,
): Promise<void> {
  await database.rpc("accept_answer", {
    instanceId,
    phone,
    agent,
    messages: drafts.map((draft) => toNewMessage({ ...draft, sentBy: "ai_agent" })),
    assignment: null,
    delivery: {
      queued: false,
      isDeferred: true,
      intervalSeconds: null,
      delaySeconds: 0,
      leaseSeconds: 0,
    },
    idempotency: null,
  });
}

/** What is stored of a draft's content. */
export type StoredDraft = StoredContent & {
  readonly mediaId?: string | undefined;
  /** What the answer says of it; undefined for most messages, which the fast path records. */
  readonly fit?: MessageFit | undefined;
  readonly ask?: StoredAsk | undefined;
};

/** A link to a file of ours is made anew whenever it is needed: its id is stored in its place. */
export function storeContent(
  { content, historyText, mediaId, reduced, choices, payment }: Pick<
    MessageDraft,
    "content" | "historyText" | "mediaId" | "reduced" | "choices" | "payment"
  >,
): StoredDraft {
  const asked = content.messageType === "payment_request" ? content.payment : payment;
  // A gateway's text in the place of a template's buttons.
  const isText = choices !== undefined ||
    asked !== undefined && content.messageType !== "template";
  const rendering = "rendering" in content ? content.rendering : isText ? "text" : undefined;
  const given = {
    ...{ message: historyText, ...content, rendering, reduced, choices },
    ...(asked === undefined ? {} : { payment: asked }),
  };
  const stored = toStoredContent(mediaId === undefined ? given : { ...given, mediaUrl: undefined });
  const isFitted = rendering !== undefined || reduced !== undefined || asked !== undefined;
  const told = asked && describeAskedPayment(asked);
  return {
    ...stored,
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(isFitted ? { fit: { rendering, reduced, payment: told } } : {}),
  };
}
