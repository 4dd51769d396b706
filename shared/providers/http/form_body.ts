/** A form with one file, written as it is read (RFC 7578). */
import type { Bytes } from "../../model/bytes.ts";

export interface FormFile {
  readonly field: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly content: ReadableStream<Bytes>;
}

export interface FormBody {
  readonly contentType: string;
  readonly body: ReadableStream<Bytes>;
}

/** Writes the fields, then the file. Reads the file only as the form is read. */
export function createFormBody(
  fields: Readonly<Record<string, string>>,
  file: FormFile,
): FormBody {
  const boundary = `form-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const written = Object.entries(fields).map(([name, value]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  const head = `${written.join("")}--${boundary}\r\n` +
    `Content-Disposition: form-data; name="${file.field}"; filename="${
      escapeName(file.fileName)
    }"` +
    `\r\nContent-Type: ${file.mimeType}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: enclose(encoder.encode(head), file.content, encoder.encode(`\r\n--${boundary}--\r\n`)),
  };
}

/** As browsers write it (HTML standard, multipart/form-data). */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function enclose(
  head: Bytes,
  content: ReadableStream<Bytes>,
  tail: Bytes,
): ReadableStream<Bytes> {
  const reader = content.getReader();
  let begun = false;
  let ended = false;
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      if (!begun) {
        begun = true;
        controller.enqueue(head);
        return;
      }
      const { done, value } = ended ? { done: true, value: undefined } : await reader.read();
      if (!done && value !== undefined) controller.enqueue(value);
      else if (ended) controller.close();
      else {
        ended = true;
        controller.enqueue(tail);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
