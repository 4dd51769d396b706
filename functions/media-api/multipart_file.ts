/** Reads a form with one file from a request, without holding more of the file than a few blocks. */
import { readBodyBlocks } from "../../shared/http/request_body.ts";
import { maxMediaBytes } from "../../shared/media/media_rules.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { Bytes } from "../../shared/model/bytes.ts";
import type { PartReader } from "../../shared/runtime/body_blocks.ts";
import { type PartHead, readBoundary } from "./multipart_head.ts";
import { MalformedForm, MultipartParts } from "./multipart_parts.ts";

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
  sender: PartReader,
  contentType: string,
): Promise<MultipartFile> {
  const boundary = readBoundary(contentType);
  if (boundary === null) {
    await sender.cancel().catch(() => {});
    throw malformed();
  }
  const form = new FormReader(sender, boundary);
  const file = await form.readToFile();
  return {
    fileName: file.fileName ?? null,
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

class FormReader {
  readonly fields: Record<string, string> = Object.create(null);
  readonly #parts: MultipartParts;
  #partCount = 0;

  constructor(private readonly sender: PartReader, boundary: string) {
    const blocks = readBodyBlocks(sender, maxFormBytes);
    this.#parts = new MultipartParts(boundary, async () => (await blocks.next()).value ?? null);
  }

  async readToFile(): Promise<PartHead> {
    return await this.#cancelingFaults(async () => {
      const file = await this.#readFields();
      if (file === null) throw refuseField(fileField, "is required");
      return file;
    });
  }

  /** The next part of the file; null once the whole form has been read, and was well formed. */
  async readChunk(): Promise<Bytes | null> {
    return await this.#cancelingFaults(async () => {
      const chunk = await this.#parts.readContent();
      if (chunk !== null) return chunk;
      const another = await this.#readFields();
      if (another === null) return null;
      throw refuseField(another.name, `only one file, ${fileField}, can be uploaded`);
    });
  }

  async cancel(reason: unknown): Promise<void> {
    await this.sender.cancel(reason);
  }

  /** Reads fields up to a file; null where the form has none any more. */
  async #readFields(): Promise<PartHead | null> {
    for (;;) {
      const head = await this.#parts.next();
      if (head === null) return null;
      if (++this.#partCount > maxParts) throw tooManyFields();
      if (head.name === fileField) return head;
      if (head.fileName !== undefined) {
        throw refuseField(head.name, `only one file, ${fileField}, can be uploaded`);
      }
      this.fields[head.name] = await this.#readField();
    }
  }

  async #readField(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let size = 0;
    for (;;) {
      const chunk = await this.#parts.readContent();
      if (chunk === null) return text + decoder.decode();
      size += chunk.byteLength;
      if (size > maxFieldBytes) throw tooManyFields();
      text += decoder.decode(chunk, { stream: true });
    }
  }

  async #cancelingFaults<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const fault = error instanceof MalformedForm ? malformed() : error;
      await this.sender.cancel(fault).catch(() => {});
      throw fault;
    }
  }
}

function tooManyFields(): AppError {
  return refuseField("", "has too many or too large fields");
}

function malformed(): AppError {
  return refuseField("", "is not valid multipart/form-data");
}

function refuseField(path: string, message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path, message }] });
}
