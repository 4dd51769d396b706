/** What a JSON text holds, told by its bytes: parsing takes twenty times as long. */

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Measures a JSON text in UTF-8, block by block. Of invalid JSON it says nothing. */
export class JsonMeter {
  #level = 0;
  #depth = 0;
  #values = 1;
  #isInText = false;
  #isEscaped = false;

  /** Levels of objects and lists, the outermost one included. */
  get depth(): number {
    return this.#depth;
  }

  /** Objects, lists and what stands between their commas: at least as many as there are values. */
  get values(): number {
    return this.#values;
  }

  read(block: Uint8Array): void {
    let [level, depth, values, isInText] = [this.#level, this.#depth, this.#values, this.#isInText];
    let place = this.#isEscaped ? 1 : 0;
    for (; place < block.length; place++) {
      const byte = block[place];
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
    this.#isEscaped = place > block.length;
    [this.#level, this.#depth, this.#values, this.#isInText] = [level, depth, values, isInText];
  }
}
