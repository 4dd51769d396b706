/** What the Cloud API takes of a content, beside the lengths of its texts. */
import type { Issue } from "../../model/errors.ts";
import {
  isMediaContent,
  type MediaContent,
  type MessageContent,
} from "../../model/message_content.ts";
import { checkLimits, officialLimits } from "../content_limits.ts";
import type { ChannelFit } from "../provider.ts";
import { chooseMediaType } from "./media.ts";

/**
 * Lists the issues of a content on the official channel. Templates have none here: their variables
 * are validated when they are filled.
 */
export function checkWhatsappCloudContent(content: MessageContent): Issue[] {
  return isMediaContent(content) ? checkMedia(content) : checkLimits(content, officialLimits);
}

/** Messages that can be seen once only do not exist on the official channel. */
export function fitWhatsappCloudContent(content: MessageContent): ChannelFit {
  return "viewOnce" in content && content.viewOnce === true
    ? { unsupported: { field: "viewOnce" } }
    : {};
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
  return checkLimits(content, officialLimits);
}
