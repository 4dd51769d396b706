/**
 * What a file must be beyond its type to go as a sticker or a voice message. The numbers are the official
 * channel's (pages Sticker messages, Audio messages); WhatsApp's own clients have the same.
 */
import type { Bytes } from "../model/bytes.ts";
import { sniffedBytes } from "./sniff_type.ts";

const kilobyte = 1_024;
/** The largest sticker that does not move, in bytes. */
export const maxStillStickerBytes = 100 * kilobyte;
/** The largest sticker, one that moves, in bytes. */
export const maxStickerBytes = 500 * kilobyte;
/** A larger voice message is shown with a download arrow in place of the play icon, in bytes. */
export const maxPlayIconBytes = 512 * kilobyte;

/** Whether a WebP file moves, by its first bytes: its extended header has the animation flag. */
export function isAnimatedWebp(head: Uint8Array): boolean {
  return textAt(head, 12) === "VP8X" && ((head[20] ?? 0) & 0b10) !== 0;
}

/** Whether an Ogg file holds Opus, by its first bytes: its first page holds the identification header. */
export function isOggOpus(head: Uint8Array): boolean {
  const segments = head[26] ?? 0;
  return textAt(head, 0) === "OggS" &&
    textAt(head, 27 + segments) === "Opus" && textAt(head, 31 + segments) === "Head";
}

function textAt(bytes: Uint8Array, place: number): string {
  return String.fromCharCode(...bytes.subarray(place, place + 4));
}

/** Why a file cannot go as a sticker, in words for the caller; null where it can. */
export function findStickerFault(size: number, head: Uint8Array): string | null {
  if (size > maxStickerBytes) {
    return "is larger than 500 KB: a sticker has 100 KB at most, one that moves 500 KB";
  }
  return size > maxStillStickerBytes && !isAnimatedWebp(head)
    ? "is larger than 100 KB and does not move: such a sticker has 100 KB at most"
    : null;
}

/** Why a file cannot go as a voice message, in words for the caller; null where it can. */
export function findVoiceFault(head: Uint8Array): string | null {
  return isOggOpus(head) ? null : "is not encoded with Opus, as a voice message must be";
}

/** The first bytes of a file, as many as tell its form. The rest is not read. */
export async function readHead(content: ReadableStream<Bytes>): Promise<Uint8Array> {
  const head = new Uint8Array(sniffedBytes);
  let length = 0;
  const reader = content.getReader();
  while (length < head.length) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, head.length - length);
    head.set(part, length);
    length += part.length;
  }
  await reader.cancel();
  return head.subarray(0, length);
}
