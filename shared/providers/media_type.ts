/** What kind of file a media URL leads to, as far as its name tells. */
import { mediaExtensionOf } from "../model/media_url.ts";

/** With a letter in it: `v1.2` ends in a version. */
const FILE_EXTENSION = /[^.]\.(?=[0-9]*[a-z])([a-z0-9]{1,8})$/i;

const mimetypes = new Map([
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
  ["pdf", "application/pdf"],
]);

/**
 * The extension, in lower case and without its dot, of the URL's path, else of the file name;
 * undefined when neither has one.
 */
export function readExtension(mediaUrl: string, mediaFilename = ""): string | undefined {
  return mediaExtensionOf(mediaUrl) ?? FILE_EXTENSION.exec(mediaFilename)?.[1]?.toLowerCase();
}

/**
 * The name a document is shown under: the one given, else the URL's last segment when that has an
 * extension (without a name the recipient sees "Untitled").
 */
export function readFilename(mediaUrl: string, mediaFilename = ""): string | undefined {
  if (mediaFilename !== "") return mediaFilename;
  return mediaExtensionOf(mediaUrl) === null ? undefined : readLastSegment(mediaUrl);
}

/** The MIME type of an extension of the specification's list (section 4.4); undefined beyond it. */
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
