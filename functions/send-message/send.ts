import { readCallerFields } from "../../shared/model/caller_fields.ts";
import { type AskServices, askWithContent, prepareAsk } from "../../shared/messages/ask.ts";
import type { RefusalBody } from "../../shared/model/errors.ts";
import {
  type FittedContent,
  fitToChannel,
  validateFileForChannel,
} from "../../shared/messages/channel_validation.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { Instance } from "../../shared/model/instance.ts";
import type { MessageDraft, PendingAuthentication } from "../../shared/messages/accept.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import { requestedFile } from "../../shared/model/message_request.ts";
import { readTiming } from "../../shared/model/timing.ts";
import { toLeaseSeconds } from "../../shared/messages/claim.ts";
import { limitHandingOverMs } from "../../shared/messages/message_file.ts";
import {
  findFileOfRequest,
  loadLinksOfRequest,
  toLinkedContent,
} from "../../shared/messages/requested_file.ts";
import type { Provider } from "../../shared/providers/provider.ts";
import { executeSending, type SendingServices } from "../../shared/messages/send.ts";
import type { SendingAnswer } from "../../shared/messages/sending_answer.ts";
import { respondToSending } from "../../shared/messages/response.ts";
import type { NoteIgnored } from "../../shared/templates/variable_keys.ts";
import { isAssignmentOnly, type SendMessageRequest, type SendMessageResponse } from "./contract.ts";

/** A valid call of an authenticated client. */
export interface SendMessageCall {
  readonly instance: Instance;
  readonly request: SendMessageRequest;
  readonly idempotency: Idempotency | null;
  /** Not null where the recording transaction must authenticate the call. */
  readonly authentication?: PendingAuthentication | null | undefined;
  readonly noteIgnored: NoteIgnored;
}

/**
 * Sends, queues or schedules a message, assigns the conversation, or both (specification 4.4).
 *
 * @throws {AppError} before anything is stored: for content that the instance's channel does not
 * support, and for the errors of `accept_message`.
 */
export async function sendMessage(
  services: SendingServices & AskServices,
  { instance, request, idempotency, authentication, noteIgnored }: SendMessageCall,
): Promise<SendingAnswer<SendMessageResponse | RefusalBody>> {
  const asked = await toDraft(services, instance, request);
  const provider = asked === null ? null : await services.openProvider(instance);
  const fitted = asked === null || provider === null
    ? null
    : { ...asked, ...fitDraft(instance, provider, asked, request) };
  const prepared = await prepareAsk(services, instance.instanceId, request.ask);
  const draft = fitted === null || provider === null ? null : {
    ...fitted,
    ask: prepared === null ? undefined : askWithContent(prepared, fitted.content),
    ...(request.outsideWindow === undefined ? {} : await (await loadLadders()).prepareLadder(
      services,
      { instance, provider },
      request.outsideWindow,
      { ...readRecipient(request), content: fitted.content, noteIgnored },
    )),
  };
  return await executeSending(services, { instance, provider }, {
    ...readRecipient(request),
    draft,
    assignment: request.assignTo === undefined
      ? null
      : { assignTo: request.assignTo, portfolio: request.portfolio },
    delivery: {
      queued: request.queued ?? false,
      intervalSeconds: request.intervalSeconds ?? null,
      delaySeconds: request.delayMessage ?? 0,
      timing: readTiming(request),
      leaseSeconds: leaseFor(services, provider, draft),
    },
    idempotency,
    authentication,
  }, respondToSending);
}

/** Ladders and the templates in them are loaded with the first call that has one. */
function loadLadders(): Promise<typeof import("../../shared/messages/ladder.ts")> {
  return import("../../shared/messages/ladder.ts");
}

/** @throws {AppError} for content that the instance's channel does not carry. */
function fitDraft(
  instance: Instance,
  provider: Provider,
  { content, mediaId, file }: MessageDraft,
  request: SendMessageRequest,
): FittedContent {
  const { rendering, replyTo, phone } = request;
  const names = { mediaUrl: mediaId === undefined ? "mediaUrl" : "mediaId" };
  const wishes = { rendering, isReply: replyTo !== undefined, phone };
  const fitted = fitToChannel(instance, provider, content, wishes, names);
  validateFileForChannel(provider, file ?? null, requestedFile(request)?.path);
  return fitted;
}

/** Time for the call, and for handing its file over first where the channel takes files. */
function leaseFor(
  { providerTimeoutMs }: SendingServices,
  provider: Provider | null,
  draft: MessageDraft | null,
): number {
  const handingOverMs = limitHandingOverMs(provider, draft);
  return toLeaseSeconds(providerTimeoutMs + handingOverMs, draft?.delayTypingMs);
}

/** The message to send; null when the call only assigns. */
async function toDraft(
  { database, files }: SendingServices,
  { instanceId }: Instance,
  request: SendMessageRequest,
): Promise<MessageDraft | null> {
  if (request.messageType === undefined || isAssignmentOnly(request)) return null;
  // A reaction pauses no agent, and stands by the message that it is about as an answer does.
  const isReaction = request.messageType === "reaction";
  const about = {
    ...readCallerFields(request),
    purpose: request.purpose,
    replyTo: isReaction ? request.reaction?.messageId : request.replyTo,
    sentBy: request.sentBy,
    pauseAgent: isReaction ? false : request.pauseAgent,
    delayTypingMs: request.delayTyping === undefined ? undefined : Math.ceil(request.delayTyping),
  };
  const stored = { database, storage: files.storage };
  const file = await findFileOfRequest(stored, instanceId, request);
  const content = toLinkedContent(request, file, await loadLinksOfRequest(files, request));
  const mediaId = requestedFile(request)?.mediaId;
  return { ...about, content, mediaId, file: file ?? undefined };
}
