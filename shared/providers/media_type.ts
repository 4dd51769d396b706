/** Derives the kind of a media file from its name. */
import { cleanFileName } from "../model/file_name.ts";
import { mediaExtensionOf } from "../model/media_url.ts";

/** An extension contains a letter: `v1.2` ends in a version. */
const FILE_EXTENSION = /[^.]\.(?=[0-9]*[a-z])([a-z0-9]{1,8})$/i;

const mimetypes = new Map([
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["mp3", "audio/mpeg"],
  ["aac", "audio/aac"],
  ["amr", "audio/amr"],
  ["m4a", "audio/mp4"],
  ["ogg", "audio/ogg"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
  ["3gp", "video/3gpp"],
  ["pdf", "application/pdf"],
]);

/**
 * The extension of the URL's path, else of the file name, in lower case and without the dot.
 * Undefined if neither has one.
 */
export function readExtension(mediaUrl: string, mediaFilename = ""): string | undefined {
  return mediaExtensionOf(mediaUrl) ?? FILE_EXTENSION.exec(mediaFilename)?.[1]?.toLowerCase();
}

/**
 * The display name of a document: the given name, else the URL's last segment if it has an
 * extension. Without a name the recipient sees "Untitled".
 */
export function readFilename(mediaUrl: string, mediaFilename = ""): string | undefined {
  const given = cleanFileName(mediaFilename);
  if (given !== null || mediaExtensionOf(mediaUrl) === null) return given ?? undefined;
  return cleanFileName(readLastSegment(mediaUrl)) ?? undefined;
}

/** The MIME type of an extension that files are sent with; else undefined. */
export function readMimetype(extension: string | undefined): string | undefined {
  return extension === undefined ? undefined : mimetypes.get(extension);
}

/** Decoded, as `mediaExtensionOf` does: storage services write whole paths as `files%2Fa.pdf`. */
function readLastSegment(mediaUrl: string): string {
  const [segment = ""] = (new URL(mediaUrl).pathname.split("/").at(-1) ?? "").split(";");
  return decodeSegment(segment).split("/").at(-1) ?? "";
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
