/** The file of ours that a sending call names by `mediaId`. */
import type { MediaDescription } from "../database/rpcs/media_uploads.ts";
import type { Database } from "../database/database.ts";
import { kindOfUpload } from "../media/media_rules.ts";
import { AppError } from "../model/errors.ts";
import type { MediaMessageType } from "../model/message_content.ts";

/**
 * Looks up a file for a message of this type, before the call is recorded. Null for one that is not
 * there, or not yet: recording the call says so, unless the call repeats an earlier one.
 *
 * @throws {AppError} `invalid_request` for a file that cannot be sent as `messageType`.
 */
export async function findRequestedFile(
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
