/** What kind of file a media URL leads to, as far as its name tells. */

const FILE_EXTENSION = /\.([a-z0-9]{1,5})$/i;

const mimetypes: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
  pdf: "application/pdf",
};

/**
 * The extension, in lower case and without its dot, of the URL's path, else of the file name;
 * undefined when neither has one.
 */
export function readExtension(mediaUrl: string, mediaFilename?: string): string | undefined {
  const names = [readLastSegment(mediaUrl), mediaFilename ?? ""];
  for (const name of names) {
    const extension = FILE_EXTENSION.exec(name)?.[1];
    if (extension !== undefined) return extension.toLowerCase();
  }
  return undefined;
}

/**
 * The name a document is shown under: the one given, else the URL's last segment when it has an
 * extension (without a name the recipient sees "Untitled").
 */
export function readFilename(mediaUrl: string, mediaFilename?: string): string | undefined {
  if (mediaFilename !== undefined && mediaFilename !== "") return mediaFilename;
  const segment = readLastSegment(mediaUrl);
  return FILE_EXTENSION.test(segment) ? segment : undefined;
}

/** The MIME type of an extension of the specification's list (section 4.4); undefined beyond it. */
export function readMimetype(extension: string | undefined): string | undefined {
  return extension !== undefined && Object.hasOwn(mimetypes, extension)
    ? mimetypes[extension]
    : undefined;
}

function readLastSegment(mediaUrl: string): string {
  if (!URL.canParse(mediaUrl)) return "";
  const segment = new URL(mediaUrl).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
