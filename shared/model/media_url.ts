/**
 * Checks a media URL before a channel gets it (specification 4.4 rule 6 and section 8). The provider
 * fetches the file, this service never does: it resolves no names and downloads nothing.
 */

import { contentKinds, type MediaMessageType } from "./message_content.ts";
import { findUrlProblem } from "./public_url.ts";

/** Why a media URL is refused: one sentence for the caller that never repeats the URL. */
export interface MediaUrlIssue {
  readonly message: string;
}

/**
 * A file name's extension: up to eight letters and digits after the last dot, at least one of them
 * a letter (`/reports/v1.2` ends in a version, not in an extension), with a name before the dot.
 */
const extensionPattern = /[^.]\.(?=[0-9]*[a-z])([a-z0-9]{1,8})$/i;

/**
 * Null if `url` can be sent as the media of `messageType`, else the reason. It must be https, have at
 * most 2,048 characters, a public host name or IP address and no credentials. If its path has an
 * extension, the message type must allow it; where that is not known, any type.
 */
export function checkMediaUrl(
  url: string,
  messageType: MediaMessageType | undefined,
): MediaUrlIssue | null {
  const message = findUrlProblem(url, { field: "mediaUrl" }) ??
    findExtensionProblem(url, messageType);
  return message === null ? null : { message };
}

/** The URL with its scheme in lower case: some providers require it. */
export function lowerScheme(url: string): string {
  return url.replace(/^https(?=:)/i, "https");
}

/**
 * The extension of the URL's path in lower case and without its dot, allowed or not; `null` when
 * the path has none or `url` is no URL. Query and fragment do not count, nor do dots in folders.
 * The last segment is decoded first: storage services write whole paths as `images%2Fphoto.jpg`.
 */
export function mediaExtensionOf(url: string): string | null {
  const path = URL.parse(url)?.pathname;
  if (path === undefined) return null;
  const [segment = ""] = path.slice(path.lastIndexOf("/") + 1).split(";");
  const decoded = decodeSegment(segment);
  const fileName = decoded.slice(decoded.lastIndexOf("/") + 1);
  return extensionPattern.exec(fileName)?.[1]?.toLowerCase() ?? null;
}

const anyFileTypes = [
  ...new Set(
    Object.values(contentKinds).flatMap((kind) => "fileTypes" in kind ? kind.fileTypes : []),
  ),
];

function findExtensionProblem(
  url: string,
  messageType: MediaMessageType | undefined,
): string | null {
  const extension = mediaExtensionOf(url);
  if (extension === null) return null;
  const allowed = messageType === undefined ? anyFileTypes : contentKinds[messageType].fileTypes;
  if (allowed.some((one) => one === extension)) return null;
  const what = messageType === undefined ? "" : ` for ${messageType}`;
  return `The file type of mediaUrl is not allowed${what}: use ${allowed.join(", ")}.` +
    (takesMoreByUpload(messageType) ? uploadHint : extension === "webp" ? stickerHint : "");
}

const uploadHint =
  " Upload a file of another type with POST /functions/v1/media-api/media, and name its mediaId.";
const stickerHint = " A WebP picture goes as messageType sticker.";

/** Whether an uploaded file may be of a type that no URL may name: see `docs/media.md`. */
function takesMoreByUpload(messageType: MediaMessageType | undefined): boolean {
  return messageType === undefined || ["audio", "video", "document"].includes(messageType);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
