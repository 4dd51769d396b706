/** Takes a file out of a JSON answer as it arrives, without holding either of them as a whole. */
import { Buffer } from "node:buffer";
import type { Bytes } from "../model/bytes.ts";
import { MediaFault } from "./media_fault.ts";

/**
 * The member that holds the file, up to the file; matches only once it is certain whether a `data:` precedes
 * it. In JSON a quote inside of a text is escaped, so that no text can be taken for it.
 */
const memberStart = /"base64"\s*:\s*"(?:data:[^,"]{0,200},|(?!data:)(?=[^"]{5}|[^"]{0,4}"))/;
/** How much of the answer may stand before it. */
const maxPreamble = 1_048_576;

const quote = 0x22;

/**
 * The decoded bytes of the member `base64` of a JSON answer. Pulls from it only as it is read.
 * It fails with a `MediaFault` where the answer has no such member or ends within it.
 */
export function decodeBase64Member(answer: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const reader = answer.getReader();
  const decoder = new MemberDecoder();
  const decode = async (part: Bytes): Promise<Bytes> => {
    try {
      return decoder.decode(part);
    } catch (error) {
      // Nobody reads the rest, which would keep its connection.
      await reader.cancel(error).catch(() => {});
      throw error;
    }
  };
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      // A part may hold nothing of the file.
      for (;;) {
        const { done, value } = await reader.read();
        if (done) throw new MediaFault("connection_lost");
        const decoded = await decode(value);
        if (decoded.byteLength > 0) controller.enqueue(decoded);
        if (decoder.hasEnded) {
          await reader.cancel().catch(() => {});
          controller.close();
          return;
        }
        if (decoded.byteLength > 0) return;
      }
    },
    async cancel(reason): Promise<void> {
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

class MemberDecoder {
  hasEnded = false;
  /** What stands before the member, until it begins. */
  #preamble: string | null = "";
  /** Characters that make no whole group of four yet. */
  #rest = "";

  decode(part: Bytes): Bytes {
    if (this.#preamble === null) return this.#decodeText(part);
    const text = this.#preamble + toBuffer(part).toString("latin1");
    const start = memberStart.exec(text);
    if (start !== null) {
      this.#preamble = null;
      return this.#decodeText(Buffer.from(text.slice(start.index + start[0].length), "latin1"));
    }
    if (text.length > maxPreamble) throw new MediaFault("http_error", 200);
    this.#preamble = text;
    return new Uint8Array(0);
  }

  #decodeText(part: Uint8Array): Bytes {
    const end = part.indexOf(quote);
    this.hasEnded = end !== -1;
    const text = this.#rest +
      toBuffer(end === -1 ? part : part.subarray(0, end)).toString("latin1");
    // JSON may escape a slash.
    const characters = text.includes("\\") ? text.replaceAll("\\", "") : text;
    const whole = this.hasEnded ? characters.length : characters.length & ~3;
    this.#rest = characters.slice(whole);
    return new Uint8Array(Buffer.from(characters.slice(0, whole), "base64"));
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
