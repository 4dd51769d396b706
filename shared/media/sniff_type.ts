/**
 * The type of a file by its content. Own, because the libraries at hand are many times larger than what
 * the allowed types need (npm `file-type`: 436 kB in nine packages), and tell no text from markup.
 */

/**
 * What the first bytes show. `exact`: that type. The other forms are containers, of which the first
 * bytes do not tell one type from another.
 */
export type SniffedType =
  | { readonly form: "exact"; readonly mimeType: string }
  /** ISO base media (MP4, M4A, 3GP): sound alone, or pictures too. `mimeType` is what its brand says. */
  | { readonly form: "iso_media"; readonly mimeType: string }
  /** A ZIP file that begins as Office Open XML does. `mimeType` is null where no part tells which. */
  | { readonly form: "office_open_xml"; readonly mimeType: string | null }
  /** The container of Word, Excel and PowerPoint before 2007. */
  | { readonly form: "ole" }
  /** A program of an operating system. */
  | { readonly form: "program" }
  | SniffedText;

/** Text, in UTF-8, UTF-16 or an encoding of bytes. */
export interface SniffedText {
  readonly form: "text";
  /** It begins with the line by which a system runs it, or with PHP's tag. */
  readonly isScript: boolean;
  /** A PDF file's header stands further on in it. */
  readonly holdsPdf: boolean;
}

/** How many of a file's first bytes `sniffType` looks at. */
export const sniffedBytes = 4_096;

const pdf = "application/pdf";

type Signature = readonly [mimeType: string, bytes: string];

/** Signatures, as the IANA registrations and the formats' own specifications give them. */
const signatures: readonly Signature[] = [
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/gif", "GIF8"],
  ["image/tiff", "II*\0"],
  ["image/tiff", "MM\0*"],
  ["audio/amr", "#!AMR"],
  ["audio/mpeg", "ID3\x02"],
  ["audio/mpeg", "ID3\x03"],
  ["audio/mpeg", "ID3\x04"],
  ["audio/ogg", "OggS\0"],
  ["audio/flac", "fLaC"],
  ["video/webm", "\x1aE\xdf\xa3"],
  [pdf, "%PDF-"],
  ["application/rtf", "{\\rtf"],
  ["application/gzip", "\x1f\x8b"],
  ["application/x-7z-compressed", "7z\xbc\xaf\x27\x1c"],
  ["application/vnd.rar", "Rar!\x1a\x07"],
];

/** Windows, Linux, macOS (in four forms), Android, a shortcut of Windows. */
const programs: readonly string[] = [
  ...["MZ", "\x7fELF", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe"],
  ...["\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "dex\n03", "L\0\0\0\x01\x14\x02\0"],
];

/** Readers look for a PDF file's header among so many bytes (Adobe's note 13 on ISO 32000-1). */
const pdfHeaderBytes = 1_024;

const riffTypes: ReadonlyMap<string, string> = new Map([
  ["WEBP", "image/webp"],
  ["WAVE", "audio/wav"],
  ["AVI ", "video/x-msvideo"],
]);

/** The type of a file, by its first bytes (`sniffedBytes` suffice); null for an unknown one. */
export function sniffType(head: Uint8Array): SniffedType | null {
  const text = decodeLatin1(head.subarray(0, sniffedBytes));
  if (text.startsWith("RIFF")) return exact(riffTypes.get(text.slice(8, 12)) ?? null);
  if (text.slice(4, 8) === "ftyp") return sniffIsoMedia(text.slice(8, 12));
  if (text.startsWith(zipEntry)) return sniffZip(text);
  if (text.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return { form: "ole" };
  const found = signatures.find(([, bytes]) => text.startsWith(bytes));
  if (found !== undefined) return exact(found[0]);
  // UTF-16 begins as a frame of MPEG audio does, and a text may begin with a program's letters.
  return sniffText(decodeUtf16(head)) ?? exact(sniffAudioFrame(head)) ?? sniffText(text) ??
    sniffProgram(text) ?? exact(text.slice(0, pdfHeaderBytes).includes("%PDF-") ? pdf : null);
}

function sniffProgram(text: string): SniffedType | null {
  return programs.some((bytes) => text.startsWith(bytes)) ? { form: "program" } : null;
}

function exact(mimeType: string | null): SniffedType | null {
  return mimeType === null ? null : { form: "exact", mimeType };
}

/** At most `sniffedBytes`: more would be too many arguments. */
function decodeLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Brands of ISO 14496-12 and 3GPP TS 26.244; those of still pictures (HEIC, AVIF) are no film. */
function sniffIsoMedia(brand: string): SniffedType {
  if (/^(?:hei|hev|mif1|msf1|avi[fs])/.test(brand)) {
    return { form: "exact", mimeType: "image/heif" };
  }
  if (brand === "qt  ") return { form: "exact", mimeType: "video/quicktime" };
  if (/^M4[AB]/.test(brand)) return { form: "iso_media", mimeType: "audio/mp4" };
  return { form: "iso_media", mimeType: /^3g[eghprs2]/.test(brand) ? "video/3gpp" : "video/mp4" };
}

/** The signature of an entry in a ZIP file (APPNOTE 4.3.7). */
const zipEntry = "PK\x03\x04";
const packageParts = ["[Content_Types].xml", "_rels/", "docProps/", "customXml/"];
const officeParts: readonly (readonly [part: string, mimeType: string])[] = [
  ["word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
];

/** A package's first entry is one of its own parts; which document it is may stand in later ones. */
function sniffZip(text: string): SniffedType {
  const names = text.split(zipEntry).slice(1).map((entry) =>
    entry.slice(26, 26 + entry.charCodeAt(22) + entry.charCodeAt(23) * 256)
  );
  const beginsWith = (part: string): boolean => names[0]?.startsWith(part) ?? false;
  const isOffice = packageParts.some(beginsWith) || officeParts.some(([part]) => beginsWith(part));
  if (!isOffice) return { form: "exact", mimeType: "application/zip" };
  const found = officeParts.find(([part]) => names.some((name) => name.startsWith(part)));
  return { form: "office_open_xml", mimeType: found?.[1] ?? null };
}

/**
 * MP3 without an ID3 tag, and AAC in ADTS, begin with a frame: 11 or 12 bits that are set, and no
 * reserved value in the fields behind them (ISO 11172-3, ISO 13818-7).
 */
function sniffAudioFrame(head: Uint8Array): string | null {
  const [first = 0, second = 0, third = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const layer = (second >> 1) & 3;
  if (layer === 0) {
    return (second & 0xf0) === 0xf0 && ((third >> 2) & 15) < 13 ? "audio/aac" : null;
  }
  const isReserved = ((second >> 3) & 3) === 1 || third >> 4 === 15 || ((third >> 2) & 3) === 3;
  return isReserved ? null : "audio/mpeg";
}

// deno-lint-ignore no-control-regex -- characters that stand in no text
const binaryCharacter = /[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffe\uffff]/;
const markup = /^\s*<(?:!doctype\s+html|html|head|body|script|iframe|svg|!--)/i;
const scalableGraphics = /<svg[\s>]/i;

/** Markup that a browser would run is told apart; a PDF file's header may stand behind white space. */
function sniffText(text: string | null): SniffedType | null {
  const content = withoutEndMark((text ?? "").replace(/^(?:\xef\xbb\xbf|\ufeff)/, ""));
  if (/^\s*(?:<\?xml|<!doctype\s+svg|<svg)/i.test(content) && scalableGraphics.test(content)) {
    return exact("image/svg+xml");
  }
  // A browser takes markup for what it is whatever follows.
  if (markup.test(content)) return exact("text/html");
  const isScript = /^(?:#!|<\?php)/i.test(content);
  if (content === "" || binaryCharacter.test(content)) return isScript ? { form: "program" } : null;
  if (/^\s*%PDF-/.test(content)) return exact(pdf);
  return {
    form: "text",
    isScript,
    holdsPdf: content.slice(0, pdfHeaderBytes).includes("%PDF-"),
  };
}

/** Without the end-of-file mark of CP/M and DOS, which programs of banks still write. */
function withoutEndMark(text: string): string {
  const trimmed = text.trimEnd();
  let end = trimmed.length;
  while (trimmed[end - 1] === "\x1a") end--;
  return trimmed.slice(0, end);
}

/**
 * The text of bytes in UTF-16, with its mark or without; null for other bytes. Without it every second byte of
 * the first characters is zero, as it is in any European language.
 */
function decodeUtf16(head: Uint8Array): string | null {
  const bytes = head.subarray(0, Math.min(head.length, sniffedBytes) & ~1);
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const isBig = isMarked ? first === 0xfe : first === 0;
  const zeros = bytes.filter((byte, place) => byte === 0 && place % 2 === (isBig ? 0 : 1)).length;
  if (bytes.length < 4 || (!isMarked && zeros < bytes.length * 0.45)) return null;
  const text = new TextDecoder(isBig ? "utf-16be" : "utf-16le").decode(bytes);
  // A character may be cut in two at the end.
  return text.slice(0, -1).isWellFormed() && !text.slice(0, -1).includes("\ufffd") ? text : null;
}
