import { cutText } from "../model/cut_text.ts";
import type { HistoryContact, HistoryMessage } from "../database/rpcs/history.ts";
import { kindOfMessageType } from "../media/media_rules.ts";
import { writeOnlyPart, writeSentParts } from "../model/content_parts.ts";
import { isMediaType, type StoredContent, type TemplateContent } from "../model/message_content.ts";

/** Stands before the words of a voice message, which a machine has written down. */
const transcriptMark = "[transcript]";

/** A message's content, and what is said in its voice message. */
export interface RenderedMessage extends StoredContent {
  readonly transcript?: string | null | undefined;
  /** Of a reaction: the beginning of what it is to. */
  readonly reactedTo?: string | null | undefined;
}

const maxReactedTo = 80;

/**
 * A message as one text (decisions, section 7). A choice reads as the chosen title, an option list as
 * its body and its options. Media, the header of a template included, reads as the caption, then the
 * URL on a line of its own, or the type in brackets if URLs are hidden or there is none. Never empty: a
 * message without text reads as its type. The words of a voice message stand before its URL, marked as a
 * transcript.
 */
export function renderContent(
  { messageType, message, content, transcript = null, reactedTo = null }: RenderedMessage,
  attachments: boolean,
): string {
  const { mediaUrl, template, choice } = content ?? {};
  if (choice !== undefined) return choice.title;
  const placeholder = `[${messageType}]`;
  const words = message === null || message === "" ? writeOnlyPart(content ?? {}) : message;
  const { above, below } = writeSentParts(content ?? {});
  const said = reactedTo === null
    ? words
    : `${words ?? placeholder} to ${quoteBeginning(reactedTo)}`;
  const lines = [...above, ...(said === null ? [] : [said])];
  if (transcript !== null) lines.push(`${transcriptMark} ${transcript}`);
  const media = readHeaderMedia(template);
  if (media !== null) lines.push(attachments ? media.link ?? `[${media.type}]` : `[${media.type}]`);
  if (mediaUrl !== undefined || kindOfMessageType(messageType) !== null) {
    lines.push(attachments ? mediaUrl ?? placeholder : placeholder);
  }
  lines.push(...below);
  return lines.length === 0 ? placeholder : lines.join("\n");
}

/** The file in a template's header. It has no link if it was given by an id. */
function readHeaderMedia(
  template: TemplateContent | undefined,
): { readonly type: string; readonly link: string | undefined } | null {
  const header = template?.components.find((component) => component["type"] === "header");
  const [parameter] = (header?.["parameters"] ?? []) as readonly Readonly<
    Record<string, unknown>
  >[];
  const type = String(parameter?.["type"]);
  if (parameter === undefined || !isMediaType(type)) return null;
  const { link } = parameter[type] as { readonly link?: string };
  return { type, link };
}

/** On one line, in quotation marks, its end marked where it is cut. */
function quoteBeginning(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const isLong = line.length > maxReactedTo;
  return `"${isLong ? `${cutText(line, maxReactedTo).toWellFormed()}…` : line}"`;
}

/**
 * The display name of a message's sender: of a received one the contact's name or phone, of a sent
 * one the operator's or the agent's name, else the instance's.
 */
export function nameSender(
  { direction, operatorName, agentName }: HistoryMessage,
  contact: Pick<HistoryContact, "name" | "phone"> | null,
  instanceName: string,
): string {
  if (direction === "inbound") return contact?.name || contact?.phone || "";
  return operatorName ?? agentName ?? instanceName;
}
