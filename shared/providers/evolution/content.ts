/** What Evolution API makes of a content (`whatsapp.baileys.service.ts` of version 2.3.6). */
import type { Issue } from "../../model/errors.ts";
import { type ContentOf, isInteractive, type MessageContent } from "../../model/message_content.ts";
import { sanitizePhone } from "../../model/phone.ts";
import { checkGatewayContent, fitGatewayContent } from "../gateway_content.ts";
import type { ChannelFit } from "../provider.ts";
import { takesReply } from "./request.ts";

/** The fewest digits of a card's phone: `minLength` of `phoneNumber` in `src/validate/message.schema.ts`. */
const minCardPhoneDigits = 10;

/** Lists the issues of a content on Evolution. */
export function checkEvolutionContent(content: MessageContent): Issue[] {
  const issues = checkGatewayContent(content);
  return content.messageType === "contacts"
    ? [...issues, ...content.contacts.flatMap(checkCardPhone)]
    : issues;
}

/** The first phone of a card is the one that goes. */
function checkCardPhone(
  { phones: [phone = ""] }: ContentOf<"contacts">["contacts"][number],
  card: number,
): Issue[] {
  const { length } = sanitizePhone(phone);
  const message = `has ${length} digits; this channel requires at least ${minCardPhoneDigits}`;
  return length < minCardPhoneDigits ? [{ path: `contacts.${card}.phones.0`, message }] : [];
}

/**
 * Says what a content loses on Evolution. Phones often do not show the buttons and lists of its sessions
 * (its issues 1053, 1672, 1794, 2104), and its business channel turns links into buttons that answer.
 */
export function fitEvolutionContent(content: MessageContent, isReply: boolean): ChannelFit {
  if ("viewOnce" in content && content.viewOnce === true) {
    return { unsupported: { field: "viewOnce" } };
  }
  const reduced = [
    ...listLost(content),
    ...(isReply && !takesReply(content) ? ["replyTo"] : []),
  ];
  return {
    ...fitGatewayContent(content),
    ...(reduced.length === 0 ? {} : { reduced }),
    ...(isInteractive(content) ? { prefersText: true } : {}),
  };
}

function listLost(content: MessageContent): string[] {
  switch (content.messageType) {
    case "contacts":
      return content.contacts.flatMap(listLostOfCard);
    case "buttons":
      return content.header?.type === "video" || content.header?.type === "document"
        ? ["header"]
        : [];
    default:
      return [];
  }
}

/** A card has one phone, e-mail and address of the web there. */
function listLostOfCard(
  { phones, emails = [], urls = [] }: ContentOf<"contacts">["contacts"][number],
  card: number,
): string[] {
  const further = { phones, emails, urls };
  return Object.entries(further).flatMap(([name, values]) =>
    values.slice(1).map((_, index) => `contacts.${card}.${name}.${index + 1}`)
  );
}
