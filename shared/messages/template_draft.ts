import { type FittedContent, fitToChannel } from "./channel_validation.ts";
import { AppError } from "../model/errors.ts";
import type { MessageDraft } from "./accept.ts";
import type { MessageContent } from "../model/message_content.ts";
import type { Provider } from "../providers/provider.ts";
import { renderForGateway, renderTemplateText } from "../templates/rendering.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import type { ReadyTemplate } from "./ready_template.ts";

/**
 * Builds the message that sends the template on the instance's channel.
 *
 * @throws {AppError} `invalid_request` with `issues` for content that the channel would reject.
 */
export function toTemplateDraft(
  { template, instance }: ReadyTemplate,
  provider: Provider,
  filled: FilledTemplate,
): MessageDraft {
  const { templates } = provider;
  if (templates === null) {
    const content = requireGatewayContent(filled);
    const fitted = fitToChannel(instance, provider, content, {}, { message: "variables" });
    return { ...fitted, choices: listQuickReplies(filled) };
  }
  const issues = templates.check(filled);
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
  return {
    content: { messageType: "template", template: templates.convert(template, filled) },
    historyText: renderTemplateText(filled),
    // The channel sends a code to a phone alone (its error 131062 otherwise).
    needsPhone: template.category?.toUpperCase() === "AUTHENTICATION",
  };
}

/** What a typed number chooses of a template's numbered buttons; undefined without quick replies. */
function listQuickReplies({ buttons }: FilledTemplate): FittedContent["choices"] {
  const choices = buttons.flatMap(({ type, text, payload }, index) =>
    type === "QUICK_REPLY" ? [{ number: index + 1, id: payload ?? text, title: text }] : []
  );
  return choices.length === 0 ? undefined : choices;
}

function requireGatewayContent(filled: FilledTemplate): MessageContent {
  const content = renderForGateway(filled);
  if (content !== null) return content;
  const message = "is required: an id is valid only on the official channel";
  throw new AppError("invalid_request", { issues: [{ path: "variables.header.link", message }] });
}
