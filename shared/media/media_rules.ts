/** Which files the service keeps and sends: their types, sizes and kinds (WhatsApp's own limits). */

/** What a file is sent or received as. */
export const mediaKinds = ["image", "audio", "video", "document"] as const;
export type MediaKind = (typeof mediaKinds)[number];

const kindsOfMessageTypes: Readonly<Record<string, MediaKind>> = {
  image: "image",
  sticker: "image",
  audio: "audio",
  voice: "audio",
  video: "video",
  document: "document",
};

/** What the file of a message of this type counts as; null for a type without files. */
export function kindOfMessageType(messageType: string): MediaKind | null {
  return Object.hasOwn(kindsOfMessageTypes, messageType)
    ? kindsOfMessageTypes[messageType] ?? null
    : null;
}

/** One megabyte, as the limits count it. */
export const megabyte = 2 ** 20;

/** The largest file of each kind, in bytes, sent or received. */
export const maxBytesOfKind: Readonly<Record<MediaKind, number>> = {
  image: 5 * megabyte,
  audio: 16 * megabyte,
  video: 16 * megabyte,
  document: 100 * megabyte,
};

/** The largest file of any kind, in bytes. */
export const maxMediaBytes = Math.max(...Object.values(maxBytesOfKind));

const officeTypes: Readonly<Record<string, string>> = {
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

interface UploadType {
  readonly kind: MediaKind;
  readonly extension: string;
}

/** The kind of each type that may be uploaded, with the extension of such a file's name. */
const uploadTypes: ReadonlyMap<string, UploadType> = new Map<string, UploadType>([
  ["image/jpeg", { kind: "image", extension: "jpg" }],
  ["image/png", { kind: "image", extension: "png" }],
  // Stickers.
  ["image/webp", { kind: "image", extension: "webp" }],
  ["audio/aac", { kind: "audio", extension: "aac" }],
  ["audio/amr", { kind: "audio", extension: "amr" }],
  ["audio/mpeg", { kind: "audio", extension: "mp3" }],
  ["audio/mp4", { kind: "audio", extension: "m4a" }],
  ["audio/ogg", { kind: "audio", extension: "ogg" }],
  ["audio/wav", { kind: "audio", extension: "wav" }],
  ["video/mp4", { kind: "video", extension: "mp4" }],
  ["video/3gpp", { kind: "video", extension: "3gp" }],
  ["application/pdf", { kind: "document", extension: "pdf" }],
  ["text/plain", { kind: "document", extension: "txt" }],
  ["text/csv", { kind: "document", extension: "csv" }],
  ...Object.entries(officeTypes).map(([extension, type]) =>
    [type, { kind: "document", extension }] as const
  ),
]);

/** Other names of a type, as phones, browsers and storage services write them. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/x-mp3", "audio/mpeg"],
  ["audio/x-mpeg", "audio/mpeg"],
  ["audio/x-aac", "audio/aac"],
  ["audio/aacp", "audio/aac"],
  ["audio/m4a", "audio/mp4"],
  ["audio/x-m4a", "audio/mp4"],
  ["audio/opus", "audio/ogg"],
  ["application/ogg", "audio/ogg"],
  ["audio/wave", "audio/wav"],
  ["audio/x-wav", "audio/wav"],
  ["audio/vnd.wave", "audio/wav"],
  ["audio/3gpp", "audio/mp4"],
  ["video/3gp", "video/3gpp"],
  ["video/x-m4v", "video/mp4"],
  ["application/x-pdf", "application/pdf"],
  ["application/csv", "text/csv"],
  ["application/x-zip-compressed", "application/zip"],
  ["text/rtf", "application/rtf"],
  ["application/xhtml+xml", "text/html"],
]);

/** Types that say nothing: what a sender writes that does not know. */
const undeclaredTypes: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-binary",
  "application/unknown",
  "*/*",
]);

/** The type of a `Content-Type`, without parameters, in its one name; null where it says nothing. */
export function normalizeMediaType(contentType: string | null | undefined): string | null {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (undeclaredTypes.has(type)) return null;
  return aliases.get(type) ?? type;
}

/** What an upload of this type counts as; null where such a file cannot be uploaded. */
export function kindOfUpload(mimeType: string): MediaKind | null {
  return uploadTypes.get(mimeType)?.kind ?? null;
}

/**
 * The words for a file of this type in a refusal. The type of a received document is as its sender wrote it, so one
 * that is not known here is not repeated.
 */
export function describeFile(mimeType: string): string {
  return kindOfUpload(mimeType) === null
    ? "is a file of another type"
    : `is a file of type ${mimeType}`;
}

/** Whether a file of this type can be received as `kind`. A document may be anything. */
export function isTypeOfKind(mimeType: string, kind: MediaKind): boolean {
  return kind === "document" || uploadTypes.get(mimeType)?.kind === kind ||
    mimeType.startsWith(`${kind}/`);
}

/** Types that a browser shows or plays, and that run nothing. */
const inlineTypes: ReadonlySet<string> = new Set([
  ...["image/jpeg", "image/png", "image/webp"],
  ...["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav"],
  ...["video/mp4", "video/3gpp"],
  "application/pdf",
]);

/** Whether a browser shows or plays files of this type. */
export function isShownInline(mimeType: string): boolean {
  return inlineTypes.has(mimeType);
}

/** The extension of a type's files, without the dot; null for a type without one here. */
export function extensionOfType(mimeType: string): string | null {
  return uploadTypes.get(mimeType)?.extension ?? null;
}

/** The Office type of a file name's extension; null for any other name. */
export function officeTypeOf(fileName: string | null | undefined): string | null {
  const extension = /\.([a-z]{3,4})$/i.exec(fileName ?? "")?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(officeTypes, extension)
    ? null
    : officeTypes[extension] ?? null;
}
