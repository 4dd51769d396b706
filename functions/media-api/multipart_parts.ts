/**
 * Splits a form (RFC 7578) into its parts as it arrives. Own, because npm `multipasta` refuses file names
 * beyond Latin-1, and forms of which one chunk ends within the line of a boundary.
 */
import type { Bytes } from "../../shared/model/bytes.ts";
import { createSearch, type Search } from "./byte_search.ts";
import { type PartHead, readPartHead } from "./multipart_head.ts";

/** A body that is no form, or one that was cut off. */
export class MalformedForm extends Error {
  override readonly name = "MalformedForm";
}

const maxHeadBytes = 16 * 1024;
/** Clients write none; the rule that allows it (RFC 2046, 5.1.1) names no limit. */
const maxPaddingBytes = 1_024;
const [tab, lineFeed, carriageReturn, space, dash] = [0x09, 0x0a, 0x0d, 0x20, 0x2d];
const findEndOfHead = createSearch(new TextEncoder().encode("\r\n\r\n"));

/** Reads part after part: the head of one, then its content, then the head of the next. */
export class MultipartParts {
  readonly #findDelimiter: Search;
  /** What has arrived and is not read. Begins with the line break that a form's first line lacks. */
  #rest: Bytes = Uint8Array.of(carriageReturn, lineFeed);
  /** Whether a part's content comes next. What precedes the first boundary counts as one. */
  #isWithin = true;

  /** `read` gives the next bytes of the body, and null at its end. */
  constructor(boundary: string, private readonly read: () => Promise<Bytes | null>) {
    this.#findDelimiter = createSearch(new TextEncoder().encode(`\r\n--${boundary}`));
  }

  /**
   * The head of the next part; null behind the last one. Skips what is unread of the part before it.
   *
   * @throws {MalformedForm}
   */
  async next(): Promise<PartHead | null> {
    while (this.#isWithin) await this.readContent();
    await this.#require(2);
    if (this.#rest[0] === dash && this.#rest[1] === dash) {
      // What follows the last boundary is no part of the form.
      while (await this.read() !== null);
      return null;
    }
    await this.#skipPadding();
    const head = await this.#takeHead();
    this.#isWithin = true;
    return head;
  }

  /**
   * Some of the part's content; null once all of it was read.
   *
   * @throws {MalformedForm}
   */
  async readContent(): Promise<Bytes | null> {
    while (this.#isWithin) {
      const { start, end } = this.#findDelimiter(this.#rest);
      if (start > 0) return this.#take(start);
      if (end === null) {
        await this.#readOn();
      } else {
        this.#take(end);
        this.#isWithin = false;
      }
    }
    return null;
  }

  /** RFC 2046, 5.1.1: a boundary may be followed by white space. */
  async #skipPadding(): Promise<void> {
    for (let skipped = 0;;) {
      const length = countPadding(this.#rest);
      skipped += length;
      if (skipped > maxPaddingBytes) throw new MalformedForm();
      this.#take(length);
      if (this.#rest.length > 0) return;
      await this.#readOn();
    }
  }

  /** From the line break behind the boundary to the empty line: a part without headers has both in one. */
  async #takeHead(): Promise<PartHead> {
    for (;;) {
      const { end } = findEndOfHead(this.#rest);
      if (end !== null) {
        const head = readPartHead(new TextDecoder().decode(this.#take(end)));
        if (head === null) throw new MalformedForm();
        return head;
      }
      if (this.#rest.length > maxHeadBytes) throw new MalformedForm();
      await this.#readOn();
    }
  }

  #take(length: number): Bytes {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  async #require(length: number): Promise<void> {
    while (this.#rest.length < length) await this.#readOn();
  }

  async #readOn(): Promise<void> {
    const chunk = await this.read();
    if (chunk === null) throw new MalformedForm();
    if (this.#rest.length === 0) {
      this.#rest = chunk;
      return;
    }
    const joined = new Uint8Array(this.#rest.length + chunk.length);
    joined.set(this.#rest);
    joined.set(chunk, this.#rest.length);
    this.#rest = joined;
  }
}

/** How many bytes of white space come first. */
function countPadding(bytes: Uint8Array): number {
  let length = 0;
  while (bytes[length] === space || bytes[length] === tab) length++;
  return length;
}
