/** The files of ours that headers of templates name by `mediaId`. */
import type { Database } from "../database/database.ts";
import type { MediaDescription } from "../database/rpcs/media_uploads.ts";
import { extensionOfType } from "../media/media_rules.ts";
import { AppError, type Issue, sentenceOf } from "../model/errors.ts";
import type { MediaFormat } from "../model/filled_template.ts";
import { headerFileRule, readHeaderMediaId } from "../templates/header_media.ts";
import { linkFile, type MessageFiles } from "./message_file.ts";
import { findStoredFile, type MissingFile } from "./requested_file.ts";

/** A file that a template's header names. */
export interface HeaderFile {
  readonly mediaId: string;
  /** Null for one that is not there: recording the call says so. */
  readonly file: MediaDescription | null;
  /** Why it is not there; null for one that is. */
  readonly missing: MissingFile | null;
  readonly link: string;
}

/** The files that the headers of a call name, by their ids. */
export type HeaderFiles = ReadonlyMap<string, HeaderFile>;

export interface HeaderFileServices {
  readonly database: Database;
  readonly files: MessageFiles;
}

/** Bounds the look-ups of one call: a list may name another file for each of its recipients. */
const maxHeaderFiles = 100;

const lookUpsAtOnce = 8;

/**
 * Looks up the files that the headers in these variables name, each once.
 *
 * @param variables of the templates that the call sends or may send.
 * @throws {AppError} `invalid_request` for more than 100 files.
 */
export async function findHeaderFiles(
  { database, files: { storage, loadLinks } }: HeaderFileServices,
  instanceId: string,
  variables: readonly Readonly<Record<string, unknown>>[],
): Promise<HeaderFiles> {
  const mediaIds = [...new Set(variables.flatMap((given) => readHeaderMediaId(given) ?? []))];
  if (mediaIds.length > maxHeaderFiles) {
    const message =
      `must name at most ${maxHeaderFiles} files in their headers: give fewer in a call`;
    throw new AppError("invalid_request", { issues: [{ path: "recipients", message }] });
  }
  const found = new Map<string, HeaderFile>();
  if (mediaIds.length === 0) return found;
  const links = await loadLinks();
  for (let first = 0; first < mediaIds.length; first += lookUpsAtOnce) {
    const group = mediaIds.slice(first, first + lookUpsAtOnce);
    await Promise.all(group.map(async (mediaId) => {
      const read = await findStoredFile({ database, storage }, instanceId, mediaId);
      const [file, missing] = typeof read === "string" ? [null, read] : [read, null];
      found.set(mediaId, { mediaId, file, missing, link: linkFile(mediaId, file, links) });
    }));
  }
  return found;
}

/** Where the variables of a template name the file of its header. */
export const headerFilePath = "variables.header.mediaId";

/** @throws {AppError} `invalid_request` for a file of a type that does not fit the header's format. */
export function checkHeaderFile({ file }: HeaderFile, format: MediaFormat): void {
  if (file === null) return;
  const extensions = headerFileRule(format);
  const extension = extensionOfType(file.mimeType ?? "");
  if (extension !== null && extensions.includes(extension)) return;
  const message = `must be a file for a header of format ${format}: ${extensions.join(", ")}`;
  throw new AppError("invalid_request", { issues: [{ path: headerFilePath, message }] });
}

/** What a list says of an entry whose header names a file that is not there; none for one that is. */
export function listMissingFiles(files: HeaderFiles, mediaId: string | undefined): Issue[] {
  const missing = files.get(mediaId ?? "")?.missing ?? null;
  return missing === null ? [] : [{ path: headerFilePath, message: sentenceOf(missing) }];
}
