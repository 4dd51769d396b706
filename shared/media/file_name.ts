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
  const characters = [...cleaned];
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(cleaned)?.[0] ?? "";
  if (characters.length <= maxNameLength) return /^\.*$/.test(cleaned) ? null : cleaned;
  return characters.slice(0, maxNameLength - extension.length).join("") + extension;
}
