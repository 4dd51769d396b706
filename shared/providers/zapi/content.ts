/** What Z-API makes of a content (pages send-contacts, send-option-list, send-button-list and others). */
import type { ContentOf, MessageContent } from "../../model/message_content.ts";
import { fitGatewayContent } from "../gateway_content.ts";
import type { ChannelFit } from "../provider.ts";
import { hasOwnPaymentForm, listLostOfPayment } from "./payment.ts";
import { takesReply } from "./request.ts";

/** Says what a content loses on Z-API, which shows lists and buttons dependably. */
export function fitZapiContent(content: MessageContent, isReply: boolean): ChannelFit {
  const fit = hasOwnPaymentForm(content) ? { prefersText: true } : fitGatewayContent(content);
  const reduced = [
    ...listLost(content),
    ...(isReply && !takesReply(content) ? ["replyTo"] : []),
    // send-text has no switch for the preview.
    ...("linkPreview" in content && content.linkPreview === false ? ["linkPreview"] : []),
  ];
  return {
    ...fit,
    ...(reduced.length === 0 ? {} : { reduced }),
    ...(lacksHeader(content) ? { prefersText: true } : {}),
  };
}

function listLost(content: MessageContent): string[] {
  switch (content.messageType) {
    case "contacts":
      return content.contacts.flatMap(listLostOfCard);
    case "option_list":
      return content.optionList.sections === undefined ? [] : ["optionList.sections"];
    case "buttons":
      return lacksHeader(content) ? ["header"] : [];
    case "payment_request":
      return listLostOfPayment(content);
    default:
      return [];
  }
}

/** A card has a name and phones there. */
function listLostOfCard(
  { emails = [], organization, urls = [] }: ContentOf<"contacts">["contacts"][number],
  card: number,
): string[] {
  return [
    ...(emails.length === 0 ? [] : [`contacts.${card}.emails`]),
    ...(organization === undefined ? [] : [`contacts.${card}.organization`]),
    ...(urls.length === 0 ? [] : [`contacts.${card}.urls`]),
  ];
}

/** Buttons stand below an image or a video, not below a document. */
function lacksHeader(content: MessageContent): boolean {
  return content.messageType === "buttons" && content.header?.type === "document";
}
