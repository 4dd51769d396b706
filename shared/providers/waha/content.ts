/** What WAHA makes of a content (page Send messages). */
import type { MessageContent } from "../../model/message_content.ts";
import { fitGatewayContent } from "../gateway_content.ts";
import type { ChannelFit } from "../provider.ts";

/**
 * Says what a content loses on WAHA. Its own page calls buttons out of order, and lists fragile: only
 * NOWEB and GOWS have them, so words are better.
 */
export function fitWahaContent(content: MessageContent): ChannelFit {
  if ("viewOnce" in content && content.viewOnce === true) {
    return { unsupported: { field: "viewOnce" } };
  }
  const { messageType } = content;
  switch (messageType) {
    case "buttons":
    case "link_button":
      return { unsupported: { messageType }, prefersText: true };
    case "option_list":
      return { prefersText: true };
    case "location":
      return content.location.address === undefined ? {} : { reduced: ["location.address"] };
    default:
      return fitGatewayContent(content);
  }
}
