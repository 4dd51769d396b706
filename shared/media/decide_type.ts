import { MediaFault } from "./media_fault.ts";
import {
  isShownInline,
  isTypeOfKind,
  kindOfUpload,
  type MediaKind,
  normalizeMediaType,
  officeTypeOf,
} from "./media_rules.ts";
import { type SniffedText, type SniffedType, sniffType } from "./sniff_type.ts";

/** What is said of a file, besides its content. */
export interface DeclaredMedia {
  /** Its `Content-Type`, or the type that the provider's event names. */
  readonly contentType?: string | null | undefined;
  readonly fileName?: string | null | undefined;
}

/** What a file is. */
export interface DecidedType {
  readonly mimeType: string;
  readonly kind: MediaKind;
}

const oleTypes: ReadonlySet<string> = new Set([
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
]);
const openXmlPrefix = "application/vnd.openxmlformats-officedocument.";
const isoMediaTypes: ReadonlySet<string> = new Set(["audio/mp4", "video/mp4", "video/3gpp"]);
/** Types whose content is recognized, besides those that are allowed. */
const recognizedTypes: ReadonlySet<string> = new Set([
  "image/gif",
  "application/zip",
  "application/rtf",
  "video/webm",
  "audio/flac",
]);
/** A file of which nothing is known, or of which content and channel say different things. */
const unknownType = "application/octet-stream";

/**
 * The type of an upload: what its content shows, told apart by what is said where the content leaves it
 * open.
 *
 * @throws {MediaFault} `type_not_allowed`, or `type_mismatch` where the content is of another type than
 * the one that was declared.
 */
export function decideUploadType(head: Uint8Array, declared: DeclaredMedia): DecidedType {
  const sniffed = sniffType(head);
  const said = normalizeMediaType(declared.contentType);
  if (said !== null && kindOfUpload(said) === null) throw new MediaFault("type_not_allowed");
  const mimeType = resolveType(sniffed, said, declared.fileName);
  if (said !== null && mimeType !== said && !isTable(mimeType, said)) {
    throw new MediaFault("type_mismatch");
  }
  const kind = mimeType === null ? null : kindOfUpload(mimeType);
  if (mimeType === null || kind === null) throw new MediaFault("type_not_allowed");
  return { mimeType, kind };
}

/**
 * The type of a received file. It is kept whenever that is harmless: where its content is of another type than
 * the one that the provider's event names, or than its kind of message, it has a type that no browser shows
 * or runs. A document may be of any type, also of one that nobody knows.
 *
 * @throws {MediaFault} `type_mismatch` for what runs and is called something else: a program or a script, and
 * markup in the place of what a browser shows.
 */
export function decideReceivedType(
  head: Uint8Array,
  declared: DeclaredMedia,
  kind: MediaKind,
): DecidedType {
  const sniffed = sniffType(head);
  const said = normalizeMediaType(declared.contentType);
  const mimeType = resolveType(sniffed, said ?? typeOfKind(sniffed, kind), declared.fileName);
  const isOtherType = said !== null && mimeType !== said && isRecognized(said) &&
    !isTable(mimeType, said);
  const decided = mimeType ?? said ?? unknownType;
  if (!isOtherType && isTypeOfKind(decided, kind)) return { mimeType: decided, kind };
  if (isDisguised(sniffed, said, kind)) throw new MediaFault("type_mismatch");
  return { mimeType: unknownType, kind };
}

/** Whether a file that runs is called something that does not. */
function isDisguised(sniffed: SniffedType | null, said: string | null, kind: MediaKind): boolean {
  switch (sniffed?.form) {
    case "program":
      return true;
    case "text":
      return sniffed.isScript;
    case "exact": {
      const isMarkup = ["text/html", "image/svg+xml"].includes(sniffed.mimeType);
      return isMarkup && (kind !== "document" || isShownInline(said ?? ""));
    }
    default:
      return false;
  }
}

/** Browsers on Windows call a CSV file what opens it there: a workbook of Excel. */
function isTable(mimeType: string | null, said: string): boolean {
  return mimeType === "text/csv" && said === "application/vnd.ms-excel";
}

/** Sound in a container of films is sound where it was sent as such. */
function typeOfKind(sniffed: SniffedType | null, kind: MediaKind): string | null {
  return sniffed?.form === "iso_media" && kind === "audio" ? "audio/mp4" : null;
}

function isRecognized(mimeType: string): boolean {
  return kindOfUpload(mimeType) !== null || recognizedTypes.has(mimeType);
}

/** The type that the content shows. `said` decides only between types that share a container. */
function resolveType(
  sniffed: SniffedType | null,
  said: string | null,
  fileName: string | null | undefined,
): string | null {
  const named = said ?? officeTypeOf(fileName);
  if (named !== null && isOfficeContent(named, sniffed, fileName)) return named;
  switch (sniffed?.form) {
    case undefined:
    case "program":
      return null;
    case "exact":
      return sniffed.mimeType;
    case "iso_media":
      return said !== null && isoMediaTypes.has(said) ? said : sniffed.mimeType;
    case "office_open_xml":
      return sniffed.mimeType ?? (named?.startsWith(openXmlPrefix) ? named : "application/zip");
    case "ole":
      return "application/x-ole-storage";
    case "text":
      return readTextType(sniffed, said, fileName);
  }
}

/** What Word, Excel and PowerPoint open as a file of theirs, besides the form that the type had first. */
const officeContents: Readonly<Record<string, readonly string[]>> = {
  "application/msword": [
    "application/rtf",
    "text/html",
    "text",
    `${openXmlPrefix}wordprocessingml`,
  ],
  "application/vnd.ms-excel": ["text/html", "text", `${openXmlPrefix}spreadsheetml`],
  "application/vnd.ms-powerpoint": [`${openXmlPrefix}presentationml`],
};

/**
 * Whether Office writes such a content into files of this type: programs export tables as HTML or as text
 * under the name of a workbook, and a file with a password has the container of old, whatever its type.
 */
function isOfficeContent(
  mimeType: string,
  sniffed: SniffedType | null,
  fileName: string | null | undefined,
): boolean {
  if (sniffed?.form === "ole") return oleTypes.has(mimeType) || mimeType.startsWith(openXmlPrefix);
  if (sniffed?.form === "text" && (sniffed.isScript || isCsvName(fileName))) return false;
  const content = sniffed?.form === "exact" || sniffed?.form === "office_open_xml"
    ? sniffed.mimeType ?? openXmlPrefix
    : sniffed?.form ?? "";
  return oleTypes.has(mimeType) &&
    (officeContents[mimeType] ?? []).some((form) =>
      content.startsWith(form) || (content === openXmlPrefix && form.startsWith(openXmlPrefix))
    );
}

function isCsvName(fileName: string | null | undefined): boolean {
  return /\.csv$/i.test(fileName ?? "");
}

/**
 * Text that nobody recognizes by its content (CSV, JSON, source code) is what it is said to be. A PDF file may
 * begin with some text.
 */
function readTextType(
  { holdsPdf, isScript }: SniffedText,
  said: string | null,
  fileName: string | null | undefined,
): string {
  const isPdf = said === null ? /\.pdf$/i.test(fileName ?? "") : said === "application/pdf";
  if (isPdf && holdsPdf && !isScript) return "application/pdf";
  if (said === "application/vnd.ms-excel" && isCsvName(fileName)) return "text/csv";
  if (said === null) return isCsvName(fileName) ? "text/csv" : "text/plain";
  const isTextual = said.startsWith("text/") || /[/+](?:json|xml|javascript)$/.test(said);
  return isTextual ? said : "text/plain";
}
