/** Names of files that the commands make of what the service or a provider has told. */
import { createHash } from "node:crypto";

/** What every file system takes as it is, in one case. */
export const plainName = /^[a-z0-9_]{1,100}$/;
/** `pt_BR`: a code of a language. */
export const languageCode = /^[a-z]{2,3}(?:_[A-Z]{2})?$/;
/** Names of devices: Windows opens no file of them, whatever its extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const maxShown = 60;

/** A part of a name, which others chose. */
export interface NamePart {
  readonly text: string;
  /** Texts that are in the name as they are. Of two of them that differ, the lower-case forms differ too. */
  readonly plain: RegExp;
}

/**
 * The name of a file, from texts that others chose and an extension: `pedido_enviado.pt_BR.json`. Never leads
 * out of its folder, and differs for different texts also where a file system does not tell cases apart. A text
 * that cannot be in a name as it is gets its hash.
 */
export function toFileName(parts: readonly NamePart[], extension: string): string {
  return [...parts.map(toPart), extension].join(".");
}

function toPart({ text, plain }: NamePart): string {
  if (plain.test(text) && !reserved.test(text)) return text;
  const shown = text.slice(0, maxShown).toLowerCase().replace(/[^a-z0-9_]/g, "_");
  const hash = createHash("sha256").update(JSON.stringify(text)).digest("hex").slice(0, 12);
  return `${shown}-${hash}`;
}
