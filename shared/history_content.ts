import type { HistoryContact, HistoryMessage } from "./history.ts";
import type { OptionList } from "./providers/provider.ts";

/**
 * A message as one text (decisions, section 7). A choice is the chosen title; an option list its
 * body and its options; media the caption, then the URL on a line of its own, or the type in
 * brackets where URLs are hidden or there is none. Never empty: what has no text is named by its
 * type.
 */
export function renderContent(
  { messageType, message, mediaUrl, optionList, choice }: HistoryMessage,
  attachments: boolean,
): string {
  if (choice !== null) return choice.title;
  const placeholder = `[${messageType}]`;
  const lines = message === null || message === "" ? [] : [message];
  if (mediaUrl !== null || mediaTypes.has(messageType)) {
    lines.push(attachments ? mediaUrl ?? placeholder : placeholder);
  }
  if (optionList !== null) lines.push(...renderOptions(optionList));
  return lines.length === 0 ? placeholder : lines.join("\n");
}

/** What is a file even where its address is not known. */
const mediaTypes = new Set(["image", "audio", "document", "video"]);

function renderOptions({ options }: OptionList): string[] {
  return options.map(({ title, description }) =>
    description ? `- ${title}: ${description}` : `- ${title}`
  );
}

/**
 * The display name of a message's sender: of a received one the contact's name or phone, of a sent
 * one the operator's or the agent's name, else the instance's.
 */
export function nameSender(
  { direction, operatorName, agentName }: HistoryMessage,
  contact: HistoryContact | null,
  instanceName: string,
): string {
  if (direction === "inbound") return contact?.name || contact?.phone || "";
  return operatorName ?? agentName ?? instanceName;
}
