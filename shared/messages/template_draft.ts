import { type FittedContent, fitToChannel, validateFileForChannel } from "./channel_validation.ts";
import type { MediaDescription } from "../database/rpcs/media_uploads.ts";
import { extensionOfType } from "../media/media_rules.ts";
import { headerFileRule } from "../templates/header_media.ts";
import { type FileServices, linkFile } from "./message_file.ts";
import { findNamedFile } from "./requested_file.ts";
import { AppError } from "../model/errors.ts";
import type { MessageDraft } from "./accept.ts";
import type { MessageContent } from "../model/message_content.ts";
import type { Provider } from "../providers/provider.ts";
import { renderForGateway, renderTemplateText } from "../templates/rendering.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import type { ReadyTemplate } from "./ready_template.ts";

/** The file of ours that a template's header is. */
export interface HeaderFile {
  readonly mediaId: string;
  /** Null for one that is not there: recording the call says so. */
  readonly file: MediaDescription | null;
  readonly link: string;
}

/**
 * The file of ours that the call names for the template's header; null where it names none.
 *
 * @throws {AppError} `invalid_request` for a file of a type that does not fit the header's format.
 */
export async function findHeaderFile(
  { database, files: { storage, links } }: Pick<FileServices, "database" | "files">,
  instanceId: string,
  { header }: FilledTemplate,
): Promise<HeaderFile | null> {
  if (header === null || header.format === "TEXT") return null;
  const { mediaId } = header.media;
  if (mediaId === undefined) return null;
  const path = "variables.header.mediaId";
  const { messageType, extensions } = headerFileRule(header.format);
  const file = await findNamedFile({ database, storage }, instanceId, {
    mediaId,
    messageType,
    path,
  });
  const extension = extensionOfType(file?.mimeType ?? "");
  if (file !== null && (extension === null || !extensions.includes(extension))) {
    const message = `must be a file for a header of format ${header.format}: ${
      extensions.join(", ")
    }`;
    throw new AppError("invalid_request", { issues: [{ path, message }] });
  }
  return { mediaId, file, link: linkFile(mediaId, file, links) };
}

/**
 * Builds the message that sends the template on the instance's channel.
 *
 * @throws {AppError} `invalid_request` with `issues` for content that the channel would reject.
 */
export function toTemplateDraft(
  ready: ReadyTemplate,
  provider: Provider,
  given: FilledTemplate,
  headerFile: HeaderFile | null = null,
): MessageDraft {
  const filled = headerFile === null ? given : withHeaderFile(given, headerFile);
  refuseUnknownFile(filled);
  const draft = draftTemplate(ready, provider, filled);
  if (headerFile === null) return draft;
  const { file, mediaId } = headerFile;
  validateFileForChannel(provider, file, "variables.header.mediaId");
  return { ...draft, mediaId, file: file ?? undefined };
}

/** Gateways fetch the file by a link, which is never stored; the official channel gets the file. */
function withHeaderFile(
  filled: FilledTemplate,
  { mediaId, link, file }: HeaderFile,
): FilledTemplate {
  const { header } = filled;
  if (header === null || header.format === "TEXT") return filled;
  const fileName = file?.fileName ?? undefined;
  return { ...filled, header: { ...header, media: { mediaId, link, fileName } } };
}

/** Batches and ladders look no files up. */
function refuseUnknownFile({ header }: FilledTemplate): void {
  if (header === null || header.format === "TEXT") return;
  const { mediaId, link } = header.media;
  if (mediaId === undefined || link !== undefined) return;
  const message = "is taken by send-template-message alone: give a link";
  throw new AppError("invalid_request", {
    issues: [{ path: "variables.header.mediaId", message }],
  });
}

function draftTemplate(
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
