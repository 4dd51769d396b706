/** Reads a form with one file from a request, without holding more of the file than a few chunks. */
import type { MultipartError, PartInfo } from "multipasta";
import { maxMediaBytes } from "../../shared/media/media_rules.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { Bytes } from "../../shared/model/bytes.ts";

/** The form's field that holds the file. */
const fileField = "file";
const maxParts = 20;
const maxFieldBytes = 4_096;

/** The largest file, and what a form has around it. */
export const maxFormBytes = maxMediaBytes + 64 * 1024;

/** A form whose file has begun to arrive. */
export interface MultipartFile {
  readonly fileName: string | null;
  readonly contentType: string;
  /** The file. Fails with an `AppError` where the form turns out to be malformed behind it. */
  readonly body: ReadableStream<Bytes>;
  /** The form's other fields: those before the file, and once `body` is read, all of them. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Reads a form up to the beginning of its file.
 *
 * @throws {AppError} `invalid_request` for a form that is malformed or has no file.
 */
export async function readMultipartFile(
  body: ReadableStream<Bytes>,
  contentType: string,
): Promise<MultipartFile> {
  const form = await FormReader.open(body, contentType);
  const file = await form.readToFile();
  return {
    fileName: file.filename ?? null,
    contentType: file.contentType,
    fields: form.fields,
    body: new ReadableStream<Bytes>({
      async pull(controller): Promise<void> {
        const chunk = await form.readChunk();
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: (reason) => form.cancel(reason),
    }, { highWaterMark: 0 }),
  };
}

interface Parser {
  write(chunk: Uint8Array): void;
  end(): void;
}

class FormReader {
  readonly fields: Record<string, string> = Object.create(null);
  readonly #chunks: Bytes[] = [];
  #file: PartInfo | null = null;
  #fault: AppError | null = null;
  #isOver = false;
  #parser: Parser = { write: () => {}, end: () => {} };

  private constructor(private readonly reader: ReadableStreamDefaultReader<Bytes>) {}

  static async open(body: ReadableStream<Bytes>, contentType: string): Promise<FormReader> {
    const form = new FormReader(body.getReader());
    // Loaded here: reading and links do without.
    const { decodeField, make } = await import("multipasta");
    form.#parser = make({
      headers: { "content-type": contentType },
      maxParts,
      maxFieldSize: maxFieldBytes,
      maxTotalSize: maxFormBytes,
      isFile: ({ name, filename }) => name === fileField || filename !== undefined,
      onField: (info, value) => {
        form.fields[info.name] = decodeField(info, value);
      },
      onFile: (info) => form.#beginFile(info),
      onError: (error) => form.#fail(error),
      onDone: () => {},
    });
    return form;
  }

  async readToFile(): Promise<PartInfo> {
    while (this.#file === null && !this.#isOver) await this.#readOn();
    if (this.#file === null) throw refuseField(fileField, "is required");
    return this.#file;
  }

  /** The next part of the file; null once the whole form has been read, and was well formed. */
  async readChunk(): Promise<Bytes | null> {
    while (this.#chunks.length === 0 && !this.#isOver) await this.#readOn();
    return this.#chunks.shift() ?? null;
  }

  async cancel(reason: unknown): Promise<void> {
    await this.reader.cancel(reason);
  }

  #beginFile(info: PartInfo): (chunk: Uint8Array | null) => void {
    if (info.name !== fileField || this.#file !== null) {
      this.#fault ??= refuseField(info.name, `only one file, ${fileField}, can be uploaded`);
      return () => {};
    }
    this.#file = info;
    return (chunk) => {
      if (chunk !== null && chunk.byteLength > 0) this.#chunks.push(chunk as Bytes);
    };
  }

  #fail(error: MultipartError): void {
    if (error._tag === "ReachedLimit" && error.limit === "MaxTotalSize") {
      this.#fault ??= new AppError("payload_too_large");
    }
    const message = error._tag === "ReachedLimit"
      ? "has too many or too large fields"
      : "is not valid multipart/form-data";
    this.#fault ??= refuseField("", message);
  }

  async #readOn(): Promise<void> {
    const { done, value } = await this.reader.read();
    try {
      if (done) this.#parser.end();
      else this.#parser.write(value);
    } catch {
      // A header that cannot be decoded.
      this.#fault ??= refuseField("", "is not valid multipart/form-data");
    }
    if (this.#fault !== null) {
      await this.reader.cancel(this.#fault).catch(() => {});
      throw this.#fault;
    }
    this.#isOver = done;
  }
}

function refuseField(path: string, message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path, message }] });
}
