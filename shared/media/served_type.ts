/** How files are given out: what a browser may show, and under which name it saves the rest. */
import { cleanFileName } from "../model/file_name.ts";
import { extensionOfType, isShownInline } from "./media_rules.ts";

/** A file's type and name, as a reader is told them. */
export interface ServedFile {
  readonly mediaId: string;
  readonly mimeType: string | null;
  readonly fileName: string | null;
}

/**
 * The `Content-Type` of a file. Markup, scripts and everything unknown is no type that a browser would
 * act on; text keeps its own, for it is only shown as what it is.
 */
export function servedType(mimeType: string): string {
  if (isShownInline(mimeType)) return mimeType;
  if (mimeType === "text/plain" || mimeType === "text/csv") return `${mimeType}; charset=utf-8`;
  return extensionOfType(mimeType) === null ? "application/octet-stream" : mimeType;
}

/** The name under which a browser saves a file; null for one that it shows. */
export function downloadNameOf(file: ServedFile): string | null {
  return isShownInline(file.mimeType ?? "") ? null : nameOf(file);
}

/** The `Content-Disposition` of a file (RFC 6266). */
export function dispositionOf(file: ServedFile): string {
  const name = nameOf(file);
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const kind = downloadNameOf(file) === null ? "inline" : "attachment";
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A received file's name is what its sender wrote. */
function nameOf({ fileName, mimeType, mediaId }: ServedFile): string {
  const cleaned = cleanFileName(fileName);
  if (cleaned !== null) return cleaned;
  const extension = extensionOfType(mimeType ?? "");
  return extension === null ? mediaId : `${mediaId}.${extension}`;
}
