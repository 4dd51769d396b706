/** A question as a sending call asks it: checked, named, and with the secret of its notification sealed. */
import { CredentialError, type CredentialVault } from "../crypto/credential_vault.ts";
import { createWebhookSecret } from "../crypto/webhook_secret.ts";
import {
  type Ask,
  defaultAccept,
  type Notification,
  type PreparedAsk,
  readDurationSeconds,
  type StoredAsk,
} from "../model/ask.ts";
import { AppError } from "../model/errors.ts";
import {
  isInteractive,
  type MessageContent,
  type NumberedChoice,
} from "../model/message_content.ts";
import { numberChoices } from "../model/numbered_text.ts";
import { findUrlProblem } from "../model/public_url.ts";

/** What asking requires. */
export interface AskServices {
  readonly vault: CredentialVault;
  readonly allowsPrivateHosts: boolean;
}

/**
 * Prepares what a call asks; null where it asks nothing.
 *
 * @throws {AppError} `invalid_request` for an address that webhook endpoints may not have.
 */
export async function prepareAsk(
  { vault, allowsPrivateHosts }: AskServices,
  instanceId: string,
  asked: Ask | undefined,
): Promise<PreparedAsk | null> {
  if (asked === undefined) return null;
  const { notifyUrl, ...ask } = asked;
  if (notifyUrl === undefined) return { ask };
  const problem = findUrlProblem(notifyUrl, { field: "notifyUrl", allowsPrivateHosts });
  if (problem !== null) {
    throw new AppError("invalid_request", {
      issues: [{ path: "ask.notifyUrl", message: problem }],
    });
  }
  const notification: Notification = { url: notifyUrl, secret: createWebhookSecret() };
  return { ask, sealedNotify: await vault.seal(notification, instanceId) };
}

/** The question of one message. `words`: what it says, which a reminder repeats. */
export function toStoredAsk(
  { ask, sealedNotify }: PreparedAsk,
  { messageType, words, choices }: {
    readonly messageType: string;
    readonly words: string | undefined;
    readonly choices: readonly NumberedChoice[];
  },
): StoredAsk {
  const { remindAfter } = ask;
  const remindAfterSeconds = remindAfter === undefined ? null : readDurationSeconds(remindAfter);
  return {
    questionId: crypto.randomUUID(),
    accept: ask.accept ?? defaultAccept(messageType, choices.length > 0),
    choices: choices.length === 0 ? undefined : choices,
    answerWithinSeconds: readDurationSeconds(ask.answerWithin) ?? 0,
    key: ask.key,
    ...(remindAfterSeconds === null
      ? {}
      : { remindAfterSeconds, reminder: ask.reminder ?? words ?? "…" }),
    onInvalid: ask.onInvalid,
    sealedNotify,
  };
}

/** The question of a message of this content. */
export function askWithContent(prepared: PreparedAsk, content: MessageContent): StoredAsk {
  return toStoredAsk(prepared, {
    messageType: content.messageType,
    words: "message" in content ? content.message : undefined,
    choices: isInteractive(content) ? numberChoices(content) : [],
  });
}

/** The question of a template, by its quick replies. @throws {AppError} `invalid_request` without any. */
export function askWithTemplate(
  prepared: PreparedAsk,
  words: string | undefined,
  choices: readonly NumberedChoice[],
): StoredAsk {
  if (choices.length > 0) return toStoredAsk(prepared, { messageType: "template", words, choices });
  throw new AppError("invalid_request", {
    issues: [{ path: "ask", message: "needs a template with quick replies" }],
  });
}

/**
 * Shows the secret of a call's answer, which is stored sealed. The answer of a call from before a key was taken out,
 * repeated by its `Idempotency-Key`, shows none.
 */
export async function revealNotifySecret<Body extends object>(
  vault: CredentialVault,
  instanceId: string | undefined,
  body: Body,
): Promise<Body> {
  const { sealedNotify, ...rest } = body as Body & { readonly sealedNotify?: string };
  if (sealedNotify === undefined || instanceId === undefined) return rest as Body;
  try {
    const { secret } = await vault.open<Notification>(sealedNotify, instanceId);
    return { ...rest, notifySecret: secret } as unknown as Body;
  } catch (error) {
    if (error instanceof CredentialError && error.reason === "unknown_key") return rest as Body;
    throw error;
  }
}
