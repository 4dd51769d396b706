/** What a JSON text holds, told by its bytes: parsing takes twenty times as long. */

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The size of a JSON text. Of invalid JSON it says nothing. */
export interface JsonSize {
  /** Levels of objects and lists, the outermost one included. */
  readonly depth: number;
  /** Objects, lists and what stands between their commas: at least as many as there are values. */
  readonly values: number;
}

/** Measures a JSON text in UTF-8. */
export function measureJson(bytes: Uint8Array): JsonSize {
  let [level, depth, values] = [0, 0, 1];
  let isInText = false;
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place];
    if (isInText) {
      if (byte === backslash) place++;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) {
      isInText = true;
    } else if (byte === openBracket || byte === openBrace) {
      values++;
      if (++level > depth) depth = level;
    } else if (byte === closeBracket || byte === closeBrace) {
      level--;
    } else if (byte === comma) {
      values++;
    }
  }
  return { depth, values };
}
