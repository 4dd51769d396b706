/** The files that customers send and that the official channel has taken over. */
import { createHash } from "node:crypto";

export interface SimulatedFile {
  readonly id: string;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Enough for what one person tries out; the oldest files make room. */
const capacityBytes = 256 * 2 ** 20;

/** Files by ids of digits, as Meta's are. */
export class FileStore {
  readonly #files = new Map<string, SimulatedFile>();
  #size = 0;

  add(file: Pick<SimulatedFile, "mimeType" | "fileName" | "bytes">): SimulatedFile {
    const id = String(crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n).padStart(20, "1");
    const sha256 = createHash("sha256").update(file.bytes).digest("hex");
    const stored = { ...file, id, sha256 };
    this.#files.set(id, stored);
    this.#size += file.bytes.byteLength;
    for (const [oldest, { bytes }] of this.#files) {
      if (this.#size <= capacityBytes || oldest === id) break;
      this.#files.delete(oldest);
      this.#size -= bytes.byteLength;
    }
    return stored;
  }

  get(id: string): SimulatedFile | undefined {
    return this.#files.get(id);
  }

  /** The file that an address of `addressOf` leads to. */
  find(address: string): SimulatedFile | undefined {
    const id = /\/simulator\/files\/([0-9]+)$/.exec(URL.parse(address)?.pathname ?? "")?.[1];
    return id === undefined ? undefined : this.#files.get(id);
  }
}

/** Where a file can be read, at the stack that received `request`. */
export function addressOf({ id }: SimulatedFile, request: Request): string {
  return `${new URL(request.url).origin}/simulator/files/${id}`;
}
