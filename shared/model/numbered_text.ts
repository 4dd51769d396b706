/** A message with options or a link as a text that every channel shows, and what its numbers choose. */
import { listOptions, listSections } from "./content_parts.ts";
import type {
  ContentOf,
  InteractiveContent,
  MessageContent,
  NumberedChoice,
} from "./message_content.ts";
import { isInteractive } from "./message_content.ts";
import { requireCents, writeReais } from "./money.ts";

/** What leaves: the content itself, or its words where it goes as text. */
export function toLeavingContent(content: MessageContent): MessageContent {
  return isInteractive(content) && content.rendering === "text" ? renderAsText(content) : content;
}

/** The options of a content, numbered from 1 in their order; none for one without options. */
export function numberChoices(content: InteractiveContent): NumberedChoice[] {
  const options: readonly Omit<NumberedChoice, "number">[] = content.messageType === "buttons"
    ? content.buttons
    : content.messageType === "option_list"
    ? listOptions(content.optionList)
    : [];
  return options.map(({ id, title, description }, index) => ({
    ...{ number: index + 1, id, title },
    ...(description ? { description } : {}),
  }));
}

function renderAsText(content: InteractiveContent): MessageContent {
  switch (content.messageType) {
    case "location_request":
      return { messageType: "text", message: content.message };
    case "payment_status":
      return { messageType: "text", message: content.message };
    case "payment_request":
      return { messageType: "text", message: writePaymentRequest(content) };
    case "link_button": {
      const { message, linkButton: { title, url }, linkPreview } = content;
      return { messageType: "text", message: `${message}\n\n${title}: ${url}`, linkPreview };
    }
    case "option_list":
      return { messageType: "text", message: `${content.message}\n\n${writeSections(content)}` };
    case "buttons":
      return renderButtons(content);
  }
}

/** `1. title` a line; an option's description stands below it, a section's title above. */
function writeSections({ optionList }: ContentOf<"option_list">): string {
  let number = 0;
  return listSections(optionList).map(({ title, options }) => {
    const lines = options.flatMap(({ title, description }) => {
      number += 1;
      return [`${number}. ${title}`, ...(description ? [`   ${description}`] : [])];
    });
    return [...(title === undefined ? [] : [`*${title}*`]), ...lines].join("\n");
  }).join("\n\n");
}

/** The words of what asks for a payment, the amount, and where it can be paid. A Pix code follows as a message of its own. */
export function writePaymentRequest(
  { message, payment }: Pick<ContentOf<"payment_request">, "message" | "payment">,
): string {
  const { amount, link, boleto } = payment;
  const lines = [writeReais(requireCents(amount)), link, boleto]
    .filter((line) => line !== undefined);
  return `${message}\n\n${lines.join("\n")}`;
}

/** With a file in its header: the file, with all words as its caption. */
function renderButtons(content: ContentOf<"buttons">): MessageContent {
  const { header, footer, mediaUrl, buttons } = content;
  const numbered = buttons.map(({ title }, index) => `${index + 1}. ${title}`).join("\n");
  const message = [header?.text, content.message, numbered, footer]
    .filter((words) => words !== undefined).join("\n\n");
  return header?.type === undefined || mediaUrl === undefined
    ? { messageType: "text", message }
    : { messageType: header.type, mediaUrl, message };
}
