/**
 * The limits of message content on the Cloud API. Sources: Text messages page (4,096), Image, Video
 * and Document messages pages (captions 1,024), Interactive list messages page (header 60, button
 * 20, row id 200, row title 24, row description 72). For the body of a list the page says 4,096 and
 * Meta's OpenAPI description 1,024; we use the smaller one, which satisfies both.
 */
import type { Issue } from "../../model/errors.ts";
import { checkLength, checkOptionListLengths } from "../http/content_length.ts";
import type { MediaContent, MessageContent } from "../../model/message_content.ts";
import { chooseMediaType } from "./media.ts";

const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const LIST_BODY_MAX = 1_024;
/** The body of an interactive message (Contact information requests). */
const REQUEST_BODY_MAX = 1_024;
const LIST_LIMITS = {
  title: 60,
  buttonLabel: 20,
  optionId: 200,
  optionTitle: 24,
  optionDescription: 72,
} as const;

/**
 * Lists the issues of a content on the official channel. Templates have none here: their variables
 * are validated when they are filled.
 */
export function checkWhatsappCloudContent(content: MessageContent): Issue[] {
  if ("mediaUrl" in content) return checkMedia(content);
  switch (content.messageType) {
    case "text":
      return checkLength("message", content.message, TEXT_MAX);
    case "option_list":
      return [
        ...checkLength("message", content.message, LIST_BODY_MAX),
        ...checkOptionListLengths(content.optionList, LIST_LIMITS),
      ];
    case "contact_request":
      return checkLength("message", content.message, REQUEST_BODY_MAX);
    case "template":
      return [];
  }
}

function checkMedia(content: MediaContent): Issue[] {
  const mediaType = chooseMediaType(content);
  if (mediaType === undefined) {
    return [{ path: "mediaUrl", message: "the official channel does not support WAV; send MP3" }];
  }
  const caption = "message" in content ? content.message : undefined;
  if (mediaType === "audio" && caption !== undefined && caption !== "") {
    return [{
      path: "message",
      message: "the official channel sends MP3 as audio, which has no caption",
    }];
  }
  return checkLength("message", caption, CAPTION_MAX);
}
