/** Reads the body of a delivery in bounded memory. The files that gateways embed go to the storage. */
import { joinBlocks, type OpenBody, readBodyBlocks } from "../../shared/http/request_body.ts";
import type { Bytes } from "../../shared/model/bytes.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { EmbeddedFiles, StagedFile } from "./embedded_files.ts";

/**
 * Largest delivery in bytes, with embedded files. WhatsApp's largest video, 16 MB, is 22 MB as
 * base64 (Evolution API, "Webhook Base64").
 */
const maxTransferBytes = 30 * 1024 * 1024;

/** Longer runs of base64 characters are files: WhatsApp limits texts to 65,536 characters. */
const fileRunBytes = 64 * 1024;

const quote = 0x22;

/** For each byte, whether it is a base64 character. */
const isBase64 = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9+/=_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** How large a delivery's body may be. */
export interface SizeLimits {
  /** Without embedded files. */
  readonly maxBytes: number;
  /** Whether it may embed files. */
  readonly embedsFiles: boolean;
}

/** How a body is read. */
export interface ReadingLimits extends SizeLimits {
  /** How long it may take to arrive. */
  readonly timeoutMs: number;
  /** Called with how much of it is kept in memory so far. What it throws ends the reading. */
  readonly onKept: (bytes: number) => void;
}

/**
 * Rejects a delivery by its `Content-Length`, before anything of it is looked at.
 *
 * @throws {AppError} `payload_too_large` for more than `readDeliveryBody` would receive.
 */
export function refuseDeclaredDelivery(request: Request, limits: SizeLimits): void {
  if (readDeclaredBytes(request) > maxReceivedBytes(limits)) throw tooLarge();
}

/**
 * Reads the body. Of a file that it embeds the first 64 KiB of base64 stay, and its number in `files` as
 * `#<number>`. Another run of so many characters of base64 is cut.
 *
 * @param opened null for a delivery without a body.
 * @throws {AppError} `payload_too_large` for more than `maxBytes` without files, or more than 30 MiB
 * with them; `request_timeout` where it has not arrived within `timeoutMs`; what `opened` fails with.
 */
export async function readDeliveryBody(
  opened: OpenBody | null,
  limits: ReadingLimits,
  files: EmbeddedFiles,
): Promise<Bytes> {
  if (opened === null) return new Uint8Array();
  const timer = setTimeout(() => opened.fail(tooLate()), limits.timeoutMs);
  const kept = new KeptText(limits);
  const reader = limits.embedsFiles ? new FileCutter(kept, files) : null;
  try {
    for await (const block of readBodyBlocks(opened, maxReceivedBytes(limits))) {
      if (reader === null) kept.add(block);
      else await reader.read(block);
    }
    await reader?.end();
  } finally {
    clearTimeout(timer);
  }
  return kept.join();
}

/** What is kept of a body. */
class KeptText {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(private readonly limits: ReadingLimits) {}

  /** Keeps bytes: a copy of a part of `buffer`, which would be kept in memory as a whole. */
  add(buffer: Bytes, from = 0, to = buffer.length): void {
    if (to <= from) return;
    this.#length += to - from;
    if (this.#length > this.limits.maxBytes) throw tooLarge();
    this.limits.onKept(this.#length);
    this.#pieces.push(to - from === buffer.length ? buffer : buffer.slice(from, to));
  }

  /** The last bytes. */
  tail(count: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    let wanted = count;
    for (let place = this.#pieces.length - 1; place >= 0 && wanted > 0; place--) {
      const piece = this.#pieces[place]!;
      pieces.unshift(piece.subarray(Math.max(piece.length - wanted, 0)));
      wanted -= piece.length;
    }
    return joinBlocks(pieces);
  }

  join(): Bytes {
    return joinBlocks(this.#pieces);
  }
}

function maxReceivedBytes({ maxBytes, embedsFiles }: SizeLimits): number {
  return embedsFiles ? maxTransferBytes : maxBytes;
}

/** What `Content-Length` says; 0 without it. */
export function readDeclaredBytes({ headers }: Request): number {
  return Number(headers.get("content-length") ?? "0");
}

/** What stands before the base64 of a file (Evolution API, "Webhook Base64"). */
const fileMember = /"base64"\s{0,8}:\s{0,8}"$/;
const memberBytes = 32;

/** Takes runs of base64 out of a body that are longer than any text: files. */
class FileCutter {
  #run = 0;
  /** The file whose base64 is being read; null for none, and for a run that is no file's. */
  #open: { readonly place: number; readonly file: StagedFile } | null = null;

  constructor(private readonly kept: KeptText, private readonly files: EmbeddedFiles) {}

  async read(block: Bytes): Promise<void> {
    let from = 0;
    for (let index = 0; index < block.length;) {
      const end = findEndOfRun(block, index);
      const room = Math.max(fileRunBytes - this.#run, 0);
      const isLong = end - index > room;
      if (isLong) {
        this.kept.add(block, from, index + room);
        if (this.#run <= fileRunBytes) await this.#begin();
        await this.#open?.file.write(block.subarray(index + room, end));
        from = end;
      }
      this.#run += end - index;
      if (end === block.length) break;
      this.#run = 0;
      // Awaited for a file alone: most characters end a run, and each await costs as much as thousands.
      if (this.#open !== null) {
        this.kept.add(block, from, end);
        from = end;
        await this.end();
      }
      index = end + 1;
    }
    this.kept.add(block, from);
  }

  /** Ends the file that is open. */
  async end(): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    await open.file.end();
    this.kept.add(new TextEncoder().encode(`#${open.place}`));
  }

  async #begin(): Promise<void> {
    const tail = this.kept.tail(fileRunBytes + memberBytes);
    const before = new TextDecoder("latin1").decode(tail.subarray(0, -fileRunBytes));
    if (fileMember.test(before)) this.#open = await this.files.open(tail.subarray(-fileRunBytes));
  }
}

/** The place after the characters of base64 that begin at `index`. */
function findEndOfRun(block: Uint8Array, index: number): number {
  let end = index;
  while (end < block.length && isBase64[block[end] ?? quote] === 1) end++;
  return end;
}

function tooLarge(): AppError {
  return new AppError("payload_too_large");
}

function tooLate(): AppError {
  return new AppError("request_timeout", {
    message: "The body did not arrive within 30 seconds; make the delivery again.",
  });
}
