import { fitToChannel, validateFileForChannel } from "./channel_validation.ts";
import { askWithTemplate } from "./ask.ts";
import { checkHeaderFile, headerFilePath, type HeaderFiles } from "./header_files.ts";
import type { PreparedAsk, StoredAsk } from "../model/ask.ts";
import { AppError } from "../model/errors.ts";
import type { MessageDraft } from "./accept.ts";
import type { MessageContent, NumberedChoice } from "../model/message_content.ts";
import type { Provider } from "../providers/provider.ts";
import { withoutPaymentButtons } from "../templates/payment_buttons.ts";
import { renderForGateway, renderTemplateText } from "../templates/rendering.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import type { ReadyTemplate } from "./ready_template.ts";

/**
 * Builds the message that sends the template on the instance's channel.
 *
 * @param headerFiles with the file that the header names, where it names one of ours.
 * @throws {AppError} `invalid_request` with `issues` for content that the channel would reject, and for a file
 * that does not fit the header.
 */
export function toTemplateDraft(
  ready: ReadyTemplate,
  provider: Provider,
  filled: FilledTemplate,
  headerFiles: HeaderFiles,
): MessageDraft {
  const { header } = filled;
  const mediaId = header === null || header.format === "TEXT" ? undefined : header.media.mediaId;
  if (header === null || header.format === "TEXT" || mediaId === undefined) {
    return draftTemplate(ready, provider, filled);
  }
  const headerFile = headerFiles.get(mediaId);
  if (headerFile === undefined) throw new Error("the file of a header was not looked up");
  checkHeaderFile(headerFile, header.format);
  const { file, link } = headerFile;
  // Gateways fetch the file by a link, which is never stored; the official channel gets the file.
  const media = { mediaId, link, fileName: file?.fileName ?? undefined };
  const draft = draftTemplate(ready, provider, { ...filled, header: { ...header, media } });
  validateFileForChannel(provider, file, headerFilePath);
  return { ...draft, mediaId, file: file ?? undefined };
}

function draftTemplate(
  { template, instance }: ReadyTemplate,
  provider: Provider,
  filled: FilledTemplate,
): MessageDraft {
  const { templates } = provider;
  const { payment } = filled;
  if (templates === null) {
    const content = requireGatewayContent(filled);
    const fitted = fitToChannel(instance, provider, content, {}, { message: "variables" });
    const choices = listQuickReplies(withoutPaymentButtons(filled));
    return { ...fitted, choices: choices.length === 0 ? undefined : choices, payment };
  }
  const issues = templates.check(filled);
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
  return {
    content: { messageType: "template", template: templates.convert(template, filled) },
    historyText: renderTemplateText(filled),
    payment,
    // The channel sends a code to a phone alone (its error 131062 otherwise).
    needsPhone: template.category?.toUpperCase() === "AUTHENTICATION",
  };
}

/**
 * The question of a template, by its quick replies.
 *
 * @throws {AppError} `invalid_request` without any, and for a template that asks for a payment.
 */
export function askOfTemplate(prepared: PreparedAsk, filled: FilledTemplate): StoredAsk {
  if (filled.payment !== undefined) {
    const message = "cannot be sent with a template that asks for a payment";
    throw new AppError("invalid_request", { issues: [{ path: "ask", message }] });
  }
  return askWithTemplate(prepared, renderTemplateText(filled), listQuickReplies(filled));
}

/** What a typed number chooses of a template's numbered buttons. */
function listQuickReplies({ buttons }: FilledTemplate): NumberedChoice[] {
  return buttons.flatMap(({ type, text, payload }, index) =>
    type === "QUICK_REPLY" ? [{ number: index + 1, id: payload ?? text, title: text }] : []
  );
}

function requireGatewayContent(filled: FilledTemplate): MessageContent {
  const content = renderForGateway(filled);
  if (content !== null) return content;
  const message = "is required: an id is valid only on the official channel";
  throw new AppError("invalid_request", { issues: [{ path: "variables.header.link", message }] });
}
