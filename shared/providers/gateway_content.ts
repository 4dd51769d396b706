/** What all gateways carry alike. */
import type { Issue } from "../model/errors.ts";
import type { MessageContent } from "../model/message_content.ts";
import { checkLimits, gatewayLimits } from "./content_limits.ts";
import type { ChannelFit } from "./provider.ts";

/**
 * Lists the issues of a content on a gateway.
 *
 * @throws Error for a template. Gateways receive rendered messages only, so this is a defect.
 */
export function checkGatewayContent(content: MessageContent): Issue[] {
  if (content.messageType === "template") throw unrenderedTemplate();
  return checkLimits(content, gatewayLimits);
}

/** What no gateway has. */
export function fitGatewayContent({ messageType }: MessageContent): ChannelFit {
  switch (messageType) {
    case "contact_request":
      return { unsupported: { messageType } };
    case "location_request":
    case "payment_request":
    case "payment_status":
      return { unsupported: { messageType }, prefersText: true };
    default:
      return {};
  }
}

/**
 * The error for a template passed to a gateway: a defect, because gateways know rendered messages
 * only.
 */
export function unrenderedTemplate(): Error {
  return new Error("a gateway takes rendered templates only");
}

/** The error for a kind that `fitContent` refuses on this channel, passed to it all the same: a defect. */
export function uncarriedContent({ messageType }: MessageContent): Error {
  return new Error(`this channel does not carry ${messageType}`);
}
