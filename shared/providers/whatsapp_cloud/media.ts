/**
 * Chooses the Cloud API media type for a file. The API has five types with fixed lists of formats
 * (Media page). Documents are text, PDF and Office files; "other file types may be sent but are not
 * supported" (Document messages page). The specification's `document` accepts any file, so each
 * file is sent as the type that lists its format.
 */
import type { MediaContent } from "../../model/message_content.ts";
import { readExtension } from "../media_type.ts";

export type WhatsappCloudMediaType = "image" | "audio" | "video" | "document" | "sticker";

const typesOfDocuments = new Map<string, WhatsappCloudMediaType>([
  ["jpg", "image"],
  ["jpeg", "image"],
  ["png", "image"],
  ["mp3", "audio"],
  ["aac", "audio"],
  ["amr", "audio"],
  ["m4a", "audio"],
  ["ogg", "audio"],
  ["mp4", "video"],
  ["3gp", "video"],
]);

/** The wire type of a media content; undefined for WAV, which the Cloud API does not support. */
export function chooseMediaType(content: MediaContent): WhatsappCloudMediaType | undefined {
  const filename = content.messageType === "document" ? content.mediaFilename : undefined;
  const extension = readExtension(content.mediaUrl, filename);
  if (extension === "wav") return undefined;
  if (content.messageType === "voice") return "audio";
  if (content.messageType !== "document") return content.messageType;
  return typesOfDocuments.get(extension ?? "") ?? "document";
}
