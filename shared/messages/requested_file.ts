/** The file of ours that a sending call names by `mediaId`. */
import type { MediaDescription } from "../database/rpcs/media_uploads.ts";
import type { Database } from "../database/database.ts";
import { kindOfUpload } from "../media/media_rules.ts";
import { AppError } from "../model/errors.ts";
import type { MediaLinks } from "../media/links.ts";
import type { MediaMessageType, MessageContent } from "../model/message_content.ts";
import { isMediaType } from "../model/message_content.ts";
import { type MessageRequest, toRequestedContent } from "../model/message_request.ts";
import { isStillStored, type StoredFileServices } from "./lost_files.ts";
import { linkFile } from "./message_file.ts";

/**
 * The file of ours that a request names; null where it names none, or none that is there. Recording the call
 * refuses one that the storage has lost, unless the call repeats an earlier one.
 *
 * @throws {AppError} `invalid_request` for a file that cannot be sent as `messageType`.
 */
export async function findFileOfRequest(
  services: StoredFileServices,
  instanceId: string,
  { mediaId, messageType }: MessageRequest,
): Promise<MediaDescription | null> {
  if (mediaId === undefined || messageType === undefined || !isMediaType(messageType)) return null;
  const named = { mediaId, messageType };
  const file = await findRequestedFile(services.database, instanceId, named);
  return file !== null && await isStillStored(services, file) ? file : null;
}

/**
 * The content of a valid request, with a link to the file that it names by `mediaId`. A document without
 * a name gets the one that its file was uploaded with.
 */
export function toLinkedContent(
  request: MessageRequest,
  file: MediaDescription | null,
  links: MediaLinks,
): MessageContent {
  const { mediaId, messageType } = request;
  if (mediaId === undefined) return toRequestedContent(request);
  const ownName = messageType === "document" ? file?.fileName ?? undefined : undefined;
  return toRequestedContent({
    ...request,
    mediaUrl: linkFile(mediaId, file, links),
    mediaFilename: request.mediaFilename ?? ownName,
  });
}

/**
 * Looks up a file for a message of this type, before the call is recorded. Null for one that is not
 * there, or not yet: recording the call says so, unless the call repeats an earlier one.
 *
 * @throws {AppError} `invalid_request` for a file that cannot be sent as `messageType`.
 */
async function findRequestedFile(
  database: Database,
  instanceId: string,
  { mediaId, messageType }: { readonly mediaId: string; readonly messageType: MediaMessageType },
): Promise<MediaDescription | null> {
  const media = await readMedia(database, instanceId, mediaId);
  if (media?.status !== "stored" || media.mimeType === null) return null;
  if (messageType !== "document" && kindOfUpload(media.mimeType) !== messageType) {
    throw new AppError("invalid_request", {
      issues: [{
        path: "mediaId",
        message: `is a file of type ${media.mimeType}, which cannot be sent as ${messageType}`,
      }],
    });
  }
  return media;
}

async function readMedia(
  database: Database,
  instanceId: string,
  mediaId: string,
): Promise<MediaDescription | null> {
  try {
    return await database.rpc("get_media", { instanceId, mediaId });
  } catch (error) {
    if (error instanceof AppError && error.code === "media_not_found") return null;
    throw error;
  }
}
