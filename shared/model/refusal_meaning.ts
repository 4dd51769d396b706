import type { ErrorCode } from "./errors.ts";

/**
 * What a provider's refusal means beyond the message that it refuses. SQL acts by it, so that no statement
 * knows a provider's number.
 */
export const refusalMeanings = [
  /** Every message of this template is refused: missing, paused, or not as it was approved. */
  "template_refused",
  /** Every message of the number is refused until a person puts its account right. */
  "account_restricted",
  /** The contact has not written within 24 hours. */
  "outside_conversation_window",
  /** The contact has stopped marketing messages in the channel. */
  "contact_opted_out",
  /** The number, or one person, gets messages faster than the channel takes them. */
  "too_fast",
  /** The account may not, or may no longer, send utility messages without a template. */
  "direct_send_refused",
  /** A parameter of the call is not taken; of a message that goes by Direct Send: the account has not got it. */
  "parameter_refused",
  /** WhatsApp lets the account open no new chats for a time: known ones go on. */
  "new_chat_locked",
  /** The channel addresses this message by phone alone. */
  "recipient_needs_phone",
  /** The person, or the account, has not got this kind of message. */
  "message_type_refused",
] as const;
export type RefusalMeaning = (typeof refusalMeanings)[number];

/**
 * Meanings by which a sending call is answered: each is an error code of its own, in place of
 * `provider_send_failed`.
 */
export const answeredMeanings = [
  "outside_conversation_window",
  "new_chat_locked",
] as const satisfies readonly (ErrorCode & RefusalMeaning)[];

/** The error code of a refused send. */
export function toErrorCode(
  meaning: RefusalMeaning | undefined,
): (typeof answeredMeanings)[number] | "provider_send_failed" {
  return answeredMeanings.find((answered) => answered === meaning) ?? "provider_send_failed";
}

/** What a refusal is about: the message, everything to its recipient, or everything of its instance. */
export type RefusalScope = "message" | "recipient" | "instance";
