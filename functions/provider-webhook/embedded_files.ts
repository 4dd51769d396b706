/**
 * Files that a gateway embeds in its deliveries as base64. A large one is stored while the body arrives,
 * so that no more of it than a few blocks is in memory; a small one when its message is read.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Database } from "../../shared/database/database.ts";
import { decideReceivedType } from "../../shared/media/decide_type.ts";
import { MediaFault } from "../../shared/media/media_fault.ts";
import { maxBytesOfKind, type MediaKind } from "../../shared/media/media_rules.ts";
import { servedType } from "../../shared/media/served_type.ts";
import { sniffedBytes, sniffType } from "../../shared/media/sniff_type.ts";
import type { MediaStorage } from "../../shared/media/storage.ts";
import type { Bytes } from "../../shared/model/bytes.ts";
import type { ReceivedFile } from "../../shared/providers/webhooks/received_file.ts";
import { BytePipe } from "../../shared/runtime/byte_pipe.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";

export interface EmbeddingServices {
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly log: Log;
}

/** What became of an embedded file: it lies in the storage, or is of a type or size that is not kept. */
export type TakenFile =
  | {
    readonly stored: {
      readonly mediaId: string;
      readonly mimeType: string;
      readonly size: number;
      readonly sha256: string;
    };
  }
  | { readonly fault: { readonly code: string; readonly message: string } };

/** The files of one delivery. */
export class EmbeddedFiles {
  readonly #files: StagedFile[] = [];

  constructor(
    private readonly services: EmbeddingServices,
    private readonly instanceId: string,
  ) {}

  /** Whether a file could not be stored: the delivery is to be made again. */
  get hasFailed(): boolean {
    return this.#files.some(({ hasFailed }) => hasFailed);
  }

  /** Begins to store a file of which more base64 than `head` follows. Its number is in `place`. */
  async open(head: Uint8Array): Promise<{ readonly place: number; readonly file: StagedFile }> {
    const file = new StagedFile(this.services, this.instanceId);
    const place = this.#files.push(file) - 1;
    await file.begin(head);
    return { place, file };
  }

  /** A file that stands in the text as a whole: its number. */
  async add(base64: string): Promise<number> {
    const { place, file } = await this.open(Buffer.from(base64, "latin1"));
    await file.end();
    return place;
  }

  /** The file with this number, as its message describes it; null for one that was not stored. */
  take(place: number, kind: string, described: ReceivedFile): TakenFile | null {
    return this.#files[place]?.judge(kind, described) ?? null;
  }

  /** Deletes what no message has taken over. Never throws. */
  async close(): Promise<void> {
    for (const file of this.#files) await file.discard();
  }
}

/** One file, from its first base64 to its place in the storage. */
export class StagedFile {
  readonly #mediaId = crypto.randomUUID();
  readonly #hash = createHash("sha256");
  readonly #pipe = new BytePipe();
  #head: Bytes = new Uint8Array();
  #size = 0;
  #carry = "";
  #stored: Promise<void> | null = null;
  #isWhole = false;
  hasFailed = false;

  constructor(
    private readonly services: EmbeddingServices,
    private readonly instanceId: string,
  ) {}

  /** Begins with a part of the base64, from which the storage is told what it will serve. */
  async begin(base64: Uint8Array): Promise<void> {
    const first = this.#decode(base64);
    this.#head = first.slice(0, sniffedBytes);
    await this.#attempt(async () => {
      const { storagePath } = await this.services.database.rpc("begin_upload", {
        ...{ instanceId: this.instanceId, mediaId: this.#mediaId },
        ...{ kind: "document", mimeType: "application/octet-stream", fileName: null },
      });
      const contentType = servedType(guessType(this.#head));
      this.#stored = this.services.storage.put(storagePath, this.#pipe.readable, { contentType });
      // It is looked at when the file has ended.
      this.#stored.catch((error) => this.#pipe.fail(error));
      await this.#keep(first);
    });
  }

  /** Takes the next part of the base64. Waits while the storage is slower than the body. */
  async write(base64: Uint8Array): Promise<void> {
    if (!this.hasFailed) await this.#attempt(() => this.#keep(this.#decode(base64)));
  }

  /** Ends the file. It is in the storage then, as a whole, unless it `hasFailed`. */
  async end(): Promise<void> {
    if (this.hasFailed) return;
    await this.#attempt(async () => {
      await this.#keep(Buffer.from(this.#carry, "base64"));
      this.#pipe.close();
      await this.#stored;
      this.#isWhole = true;
    });
  }

  /** See `EmbeddedFiles.take`. */
  judge(kind: string, { mimeType, sha256, filename }: ReceivedFile): TakenFile | null {
    if (!this.#isWhole || !isMediaKind(kind)) return null;
    const digest = this.#digest();
    // The fetch from the provider decides, where there is one.
    if (sha256 !== undefined && sha256 !== digest) return null;
    try {
      if (this.#size > maxBytesOfKind[kind]) throw new MediaFault("too_large");
      const declared = { contentType: mimeType, fileName: filename };
      const decided = decideReceivedType(this.#head, declared, kind);
      const { mimeType: type } = decided;
      return {
        stored: { mediaId: this.#mediaId, mimeType: type, size: this.#size, sha256: digest },
      };
    } catch (error) {
      if (!(error instanceof MediaFault)) throw error;
      return { fault: { code: error.reason, message: error.message } };
    }
  }

  async discard(): Promise<void> {
    if (!this.#isWhole) this.#pipe.fail(new Error("the file did not arrive whole"));
    const target = { instanceId: this.instanceId, mediaId: this.#mediaId };
    // What stays is swept like an upload that broke off.
    await this.services.database.rpc("discard_upload", target).catch(() => {});
  }

  #sha256: string | null = null;

  #digest(): string {
    return this.#sha256 ??= this.#hash.digest("hex");
  }

  #decode(base64: Uint8Array): Bytes {
    const text = this.#carry + Buffer.from(base64).toString("latin1");
    const whole = text.length - text.length % 4;
    this.#carry = text.slice(whole);
    return Buffer.from(text.slice(0, whole), "base64");
  }

  async #keep(chunk: Bytes): Promise<void> {
    if (chunk.byteLength === 0) return;
    this.#size += chunk.byteLength;
    this.#hash.update(chunk);
    await this.#pipe.write(chunk);
  }

  /** The body goes on without the file where the storage fails. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.hasFailed = true;
      this.services.log.error("embedded_file_failed", {
        ...{ instanceId: this.instanceId, mediaId: this.#mediaId },
        ...describeDefect(error),
      });
    }
  }
}

/** What a file seems to be, before its message has said it. */
function guessType(head: Bytes): string {
  const sniffed = sniffType(head);
  const type = sniffed !== null && "mimeType" in sniffed ? sniffed.mimeType : null;
  return type ?? "application/octet-stream";
}

function isMediaKind(kind: string): kind is MediaKind {
  return Object.hasOwn(maxBytesOfKind, kind);
}
