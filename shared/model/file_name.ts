import { cutCharacters } from "./cut_text.ts";
import { isBlank } from "./visible_text.ts";
const maxNameLength = 255;

/** Turns the text behind it around: `invoice<U+202E>fdp.exe` would be shown as `invoiceexe.pdf`. */
const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A name without folders, without what no file system or database takes, and without what makes it look
 * like another one; null where nothing is left. One that is too long keeps its extension, by which
 * programs open the file.
 */
export function cleanFileName(fileName: string | null | undefined): string | null {
  const last = (fileName ?? "").split(/[\\/]/).at(-1) ?? "";
  // deno-lint-ignore no-control-regex -- what is to be removed
  const cleaned = last.replace(/[\x00-\x1f\x7f-\x9f\ud800-\udfff]/gu, "").replace(direction, "")
    .trim();
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(cleaned)?.[0] ?? "";
  if (/^\.*$/.test(cleaned) || isBlank(cleaned)) return null;
  const kept = cutCharacters(cleaned, maxNameLength);
  return kept === cleaned
    ? cleaned
    : cutCharacters(cleaned, maxNameLength - extension.length) + extension;
}
