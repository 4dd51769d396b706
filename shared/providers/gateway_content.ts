/**
 * The limits of message content on the gateways. Neither Z-API nor Evolution documents a limit.
 * WhatsApp's own clients accept texts of up to 65,536 characters. The bound on the parts of a list
 * is ours: far above what a phone shows, and low enough to catch a mistake (a whole document as a
 * title).
 */
import type { Issue } from "../model/errors.ts";
import { checkLength, checkOptionListLengths } from "./http/content_length.ts";
import type { MessageContent } from "../model/message_content.ts";

const TEXT_MAX = 65_536;
const LIST_FIELD_MAX = 1_024;
const LIST_LIMITS = {
  title: LIST_FIELD_MAX,
  buttonLabel: LIST_FIELD_MAX,
  optionId: LIST_FIELD_MAX,
  optionTitle: LIST_FIELD_MAX,
  optionDescription: LIST_FIELD_MAX,
} as const;

/**
 * Lists the issues of a content on a gateway.
 *
 * @throws Error for a template. Gateways receive rendered messages only, so this is a defect.
 */
export function checkGatewayContent(content: MessageContent): Issue[] {
  if (content.messageType === "template") throw unrenderedTemplate();
  if (content.messageType === "contact_request") {
    return [{
      path: "messageType",
      message: "contact_request is sent on the official channel only",
    }];
  }
  return [
    ...checkLength("message", "message" in content ? content.message : undefined, TEXT_MAX),
    ...("optionList" in content ? checkOptionListLengths(content.optionList, LIST_LIMITS) : []),
  ];
}

/**
 * The error for a template passed to a gateway: a defect, because gateways know rendered messages
 * only.
 */
export function unrenderedTemplate(): Error {
  return new Error("a gateway takes rendered templates only");
}

/** The error for a contact request passed to a gateway: a defect, `checkGatewayContent` refuses it. */
export function unknownContactRequest(): Error {
  return new Error("a gateway takes no contact requests");
}
