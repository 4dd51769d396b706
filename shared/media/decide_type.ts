import { MediaFault } from "./media_fault.ts";
import {
  isTypeOfKind,
  kindOfUpload,
  type MediaKind,
  normalizeMediaType,
  officeTypeOf,
} from "./media_rules.ts";
import { type SniffedType, sniffType } from "./sniff_type.ts";

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
/** Types whose content is recognized, besides those that are allowed: another content is a lie. */
const recognizedTypes: ReadonlySet<string> = new Set([
  "image/gif",
  "application/zip",
  "application/rtf",
  "video/webm",
  "audio/flac",
]);

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
  if (said !== null && mimeType !== said) throw new MediaFault("type_mismatch");
  const kind = mimeType === null ? null : kindOfUpload(mimeType);
  if (mimeType === null || kind === null) throw new MediaFault("type_not_allowed");
  return { mimeType, kind };
}

/**
 * The type of a received file. A document may be of any type, also of one that nobody knows; every
 * other kind has its own.
 *
 * @throws {MediaFault} as `decideUploadType`.
 */
export function decideReceivedType(
  head: Uint8Array,
  declared: DeclaredMedia,
  kind: MediaKind,
): DecidedType {
  const sniffed = sniffType(head);
  const said = normalizeMediaType(declared.contentType);
  const mimeType = resolveType(sniffed, said ?? typeOfKind(sniffed, kind), declared.fileName);
  if (said !== null && mimeType !== said && isRecognized(said)) {
    throw new MediaFault("type_mismatch");
  }
  const decided = mimeType ?? said ?? "application/octet-stream";
  if (!isTypeOfKind(decided, kind)) throw new MediaFault("type_not_allowed");
  return { mimeType: decided, kind };
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
  switch (sniffed?.form) {
    case undefined:
      return null;
    case "exact":
      return sniffed.mimeType;
    case "iso_media":
      return said !== null && isoMediaTypes.has(said) ? said : sniffed.mimeType;
    case "office_open_xml": {
      const named = said ?? officeTypeOf(fileName);
      return sniffed.mimeType ?? (named?.startsWith(openXmlPrefix) ? named : "application/zip");
    }
    case "ole": {
      const named = said ?? officeTypeOf(fileName);
      return named !== null && oleTypes.has(named) ? named : "application/x-ole-storage";
    }
    case "text":
      return readTextType(said, fileName);
  }
}

/** Text that nobody recognizes by its content (CSV, JSON, source code) is what it is said to be. */
function readTextType(said: string | null, fileName: string | null | undefined): string {
  if (said === null) return /\.csv$/i.test(fileName ?? "") ? "text/csv" : "text/plain";
  const isTextual = said.startsWith("text/") || /[/+](?:json|xml|javascript)$/.test(said);
  return isTextual ? said : "text/plain";
}
