/** The file of ours that a sending call names by `mediaId`. */
import type { MediaDescription } from "../database/rpcs/media_uploads.ts";
import type { Database } from "../database/database.ts";
import { describeFile, kindOfUpload } from "../media/media_rules.ts";
import {
  findStickerFault,
  findVoiceFault,
  maxStillStickerBytes,
  readHead,
} from "../media/file_forms.ts";
import { type MediaStorage, StorageError } from "../media/storage.ts";
import { AppError } from "../model/errors.ts";
import type { MediaLinks } from "../media/links.ts";
import type { MediaMessageType, MessageContent } from "../model/message_content.ts";
import {
  type MessageRequest,
  type RequestedFile,
  requestedFile,
  toRequestedContent,
} from "../model/message_request.ts";
import { isStillStored, type StoredFileServices } from "./lost_files.ts";
import { linkFile, type MessageFiles } from "./message_file.ts";

/**
 * The file of ours that a request names; null where it names none, or none that is there. Recording the call
 * refuses one that the storage has lost, unless the call repeats an earlier one.
 *
 * @throws {AppError} `invalid_request` for a file that cannot be sent as `messageType`.
 */
export async function findFileOfRequest(
  services: StoredFileServices,
  instanceId: string,
  request: MessageRequest,
): Promise<MediaDescription | null> {
  const named = requestedFile(request);
  if (named === null) return null;
  const file = await findStoredFile(services, instanceId, named.mediaId);
  if (typeof file === "string") return null;
  refuseOtherType(file, named);
  const fault = await findFormFault(services.storage, file, named.messageType);
  if (fault === null) return file;
  throw new AppError("invalid_request", { issues: [{ path: named.path, message: fault }] });
}

/**
 * Why a file cannot go as such a message although it is of the right type; null where it can, also where the
 * storage does not give it: then the send finds out.
 */
async function findFormFault(
  storage: Pick<MediaStorage, "open">,
  { size, storagePath }: MediaDescription,
  messageType: MediaMessageType,
): Promise<string | null> {
  const isSticker = messageType === "sticker";
  if (!isSticker && messageType !== "voice" || storagePath === null) return null;
  if (isSticker && (size ?? 0) <= maxStillStickerBytes) return null;
  const content = await storage.open(storagePath).catch((error: unknown) => {
    if (error instanceof StorageError) return null;
    throw error;
  });
  if (content === null) return null;
  const head = await readHead(content);
  return isSticker ? findStickerFault(size ?? 0, head) : findVoiceFault(head);
}

/** Links for a request that names a file of ours; null for one that names none, which loads nothing. */
export async function loadLinksOfRequest(
  { loadLinks }: Pick<MessageFiles, "loadLinks">,
  request: MessageRequest,
): Promise<MediaLinks | null> {
  return requestedFile(request) === null ? null : await loadLinks();
}

/**
 * The content of a valid request, with a link to the file that it names by `mediaId`. A document without
 * a name gets the one that its file was uploaded with.
 *
 * @param links see `loadLinksOfRequest`.
 * @throws Error for a request that names a file, without links: a defect, it would leave without its file.
 */
export function toLinkedContent(
  request: MessageRequest,
  file: MediaDescription | null,
  links: MediaLinks | null,
): MessageContent {
  const named = requestedFile(request);
  if (named === null) return toRequestedContent(request);
  if (links === null) throw new Error("a request that names a file has no links");
  const ownName = named.messageType === "document" ? file?.fileName ?? undefined : undefined;
  return toRequestedContent(
    { ...request, mediaFilename: request.mediaFilename ?? ownName },
    linkFile(named.mediaId, file, links),
  );
}

/** Why a file is not there to be sent, by the refusal's code. */
export type MissingFile =
  | "media_not_found"
  | "media_pending"
  | "media_failed"
  | "media_expired";

/**
 * Looks up a file of ours before the call is recorded; why it is not there, for one that is not. Recording the
 * call says so too, unless the call repeats an earlier one.
 */
export async function findStoredFile(
  services: StoredFileServices,
  instanceId: string,
  mediaId: string,
): Promise<MediaDescription | MissingFile> {
  const media = await readMedia(services.database, instanceId, mediaId);
  if (media === null) return "media_not_found";
  const { status, mimeType, origin } = media;
  if (status === "pending") return origin === "upload" ? "media_not_found" : "media_pending";
  if (status !== "stored") return `media_${status}`;
  return mimeType !== null && await isStillStored(services, media) ? media : "media_expired";
}

/** @throws {AppError} `invalid_request` for a file that cannot be sent as `messageType`. */
function refuseOtherType(
  { mimeType }: MediaDescription,
  { messageType, path }: RequestedFile,
): void {
  if (mimeType === null || isTypeOfMessage(mimeType, messageType)) return;
  const message = `${describeFile(mimeType)}, which cannot be sent as ${messageType}`;
  throw new AppError("invalid_request", { issues: [{ path, message }] });
}

/** Whether a file of this type goes as such a message. A document may be anything. */
function isTypeOfMessage(mimeType: string, messageType: MediaMessageType): boolean {
  switch (messageType) {
    case "document":
      return true;
    case "sticker":
      return mimeType === "image/webp";
    // WebP is the form of stickers alone.
    case "image":
      return mimeType !== "image/webp" && kindOfUpload(mimeType) === "image";
    case "voice":
      return mimeType === "audio/ogg";
    default:
      return kindOfUpload(mimeType) === messageType;
  }
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
