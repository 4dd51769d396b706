import { describeFile } from "../media/media_rules.ts";
import { AppError } from "../model/errors.ts";
import type { Instance } from "../model/instance.ts";
import {
  isInteractive,
  isNativePayment,
  isPaymentContent,
  type MessageContent,
  type NumberedChoice,
} from "../model/message_content.ts";
import type { RequestedFile } from "../model/message_request.ts";
import { numberChoices, toLeavingContent } from "../model/numbered_text.ts";
import type { InteractiveRendering } from "../model/message_fit.ts";
import type { Provider } from "../providers/provider.ts";

/** What a call says of how its content goes out. */
export interface ContentWishes {
  /** Undefined for the instance's setting. */
  readonly rendering?: InteractiveRendering | undefined;
  readonly isReply?: boolean | undefined;
  /** Whom it goes to, where the call says it by phone. */
  readonly phone?: string | undefined;
}

type ChannelOfInstance = Pick<
  Instance,
  "provider" | "gatewayInstanceId" | "interactiveRendering"
>;

/** A content as the channel carries it. */
export interface FittedContent {
  readonly content: MessageContent;
  /** Paths of what goes lost; undefined for nothing. */
  readonly reduced?: readonly string[] | undefined;
  /** Whether it goes as text where the channel refuses its own form for the person or the account. */
  readonly fallsBack?: true | undefined;
  /** Where it goes as numbered text: what a typed number chooses. */
  readonly choices?: readonly NumberedChoice[] | undefined;
}

/**
 * Decides how the instance's channel carries a content, and refuses one that it cannot, before anything is
 * stored. `requestNames` maps fields whose name in the request differs (`message`: `messageText`).
 *
 * @throws {AppError} `provider_outbound_channel_not_configured`, `unsupported_on_channel`, or
 * `invalid_request` with all `issues`.
 */
export function fitToChannel(
  instance: ChannelOfInstance,
  provider: Provider,
  given: MessageContent,
  wishes: ContentWishes = {},
  requestNames: Readonly<Record<string, string>> = {},
): FittedContent {
  if (instance.gatewayInstanceId === null) {
    throw new AppError("provider_outbound_channel_not_configured");
  }
  const { isReply = false } = wishes;
  const content = isInteractive(given)
    ? { ...given, rendering: chooseRendering(instance, provider, given, wishes) }
    : given;
  const leaving = toLeavingContent(content);
  const { unsupported, reduced } = provider.fitContent(leaving, isReply);
  if (unsupported !== undefined) {
    const details = { ...unsupported, provider: instance.provider };
    throw new AppError("unsupported_on_channel", { body: { details } });
  }
  const issues = provider.checkContent(leaving).map(({ path, message }) => ({
    path: requestNames[path] ?? path,
    message,
  }));
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
  return { content, reduced, ...describeFallback(content, wishes), ...describeChoices(content) };
}

/** What asks for a payment goes as text, unless the call wants the channel's own form alone. */
function describeFallback(
  content: MessageContent,
  { rendering = "auto" }: ContentWishes,
): Pick<FittedContent, "fallsBack"> {
  return isNativePayment(content) && rendering === "auto" ? { fallsBack: true } : {};
}

/**
 * The call's wish, or else the instance's setting. That is about options and links: a request for the
 * position or a payment is native wherever the channel has it, and else its text. Payments are between numbers of
 * Brazil.
 */
function chooseRendering(
  { interactiveRendering }: ChannelOfInstance,
  provider: Provider,
  content: MessageContent,
  { rendering, isReply = false, phone }: ContentWishes,
): "native" | "text" {
  const isRequest = content.messageType === "location_request" || isPaymentContent(content);
  const wish = rendering ?? (isRequest ? "auto" : interactiveRendering);
  if (wish !== "auto") return wish;
  if (isPaymentContent(content) && phone !== undefined && !phone.startsWith("55")) return "text";
  return provider.fitContent(content, isReply).prefersText === true ? "text" : "native";
}

function describeChoices(content: MessageContent): Pick<FittedContent, "choices"> {
  if (!isInteractive(content) || content.rendering !== "text") return {};
  const choices = numberChoices(content);
  return choices.length === 0 ? {} : { choices };
}

/**
 * Refuses a file of ours that the instance's channel does not take, before anything is stored.
 *
 * @param path where the request names the file.
 * @throws {AppError} `invalid_request` for that path.
 */
export function validateFileForChannel(
  provider: Provider,
  file: { readonly mimeType: string | null } | null,
  path: RequestedFile["path"] = "mediaId",
): void {
  const mimeType = file?.mimeType ?? null;
  if (mimeType === null || provider.files === null || provider.files.takesType(mimeType)) return;
  throw new AppError("invalid_request", {
    issues: [{
      path,
      message: `${describeFile(mimeType)}, which the official channel does not take`,
    }],
  });
}
