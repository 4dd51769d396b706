/** Forms as clients write them, and as networks cut them. */
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { openParts } from "../../../shared/runtime/body_blocks.ts";
import { readMultipartFile } from "../../../functions/media-api/multipart_file.ts";
import { AppError } from "../../../shared/model/errors.ts";

type Bytes = ReturnType<TextEncoder["encode"]>;

const encode = (text: string): Bytes => new TextEncoder().encode(text);
const formType = "multipart/form-data; boundary=-limit-7";

function part(head: string, content: string): string {
  return `---limit-7\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
}
const end = "---limit-7--\r\n";

interface ReadForm {
  readonly fileName: string | null;
  readonly contentType: string;
  readonly content: string;
  readonly fields: Readonly<Record<string, string>>;
}

async function readForm(chunks: readonly Bytes[], contentType = formType): Promise<ReadForm> {
  const file = await readMultipartFile(openParts(ReadableStream.from(chunks)), contentType);
  const content = await new Response(file.body).text();
  return {
    fileName: file.fileName,
    contentType: file.contentType,
    content,
    fields: { ...file.fields },
  };
}

const nearlyBoundaries = "\r\n---limit-8 \r\n--\r\n\r\r\n---limit-\r\n-";
const wholeForm = "A preamble.\r\n" + part('name="before"', "olá") +
  part(
    'name="file"; filename="Peça – 日本 “x” 📷.pdf"\r\nContent-Type: application/pdf',
    nearlyBoundaries,
  ) +
  part('name="behind"', "") + end + "An epilogue.\r\n---limit-7\r\n";

Deno.test("a form is the same wherever the network cuts it", async () => {
  const bytes = encode(wholeForm);
  const whole = await readForm([bytes]);
  assertEquals(whole, {
    fileName: "Peça – 日本 “x” 📷.pdf",
    contentType: "application/pdf",
    content: nearlyBoundaries,
    fields: { before: "olá", behind: "" },
  });
  for (let cut = 1; cut < bytes.length; cut++) {
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
    assertEquals(await readForm(chunks), whole, `cut at ${cut}`);
  }
  assertEquals(await readForm([...bytes].map((byte) => Uint8Array.of(byte))), whole);
});

Deno.test("a file keeps its name, however its client writes it", async () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['filename="fatura – março.pdf"', "fatura – março.pdf"],
    ['filename="a%22b.pdf"', 'a"b.pdf'],
    ['filename="a\\"b.pdf"', 'a"b.pdf'],
    ["filename=plain.pdf", "plain.pdf"],
    ['filename="a;b=c.pdf"', "a;b=c.pdf"],
    ["filename=\"x.pdf\"; filename*=UTF-8''S%C3%A3o%20Paulo.pdf", "São Paulo.pdf"],
    ["filename=\"x.pdf\"; filename*=UTF-8''%E3%81", "x.pdf"],
    ['filename="C:\\fotos\\a.pdf"', "C:\\fotos\\a.pdf"],
    ['filename=""', ""],
    ["x=y", null],
  ];
  for (const [written, name] of cases) {
    const form = part(`name="file"; ${written}`, "content") + end;
    assertEquals((await readForm([encode(form)])).fileName, name, written);
  }
});

Deno.test("a part without a type says nothing of its content, and heads are read in any case", async () => {
  const bare = await readForm([encode(part('name="file"', "x") + end)]);
  assertEquals(bare.contentType, "application/octet-stream");
  const shouting =
    "---limit-7 \t\r\nCONTENT-TYPE:text/csv\r\ncontent-disposition:Form-Data;NAME=file" +
    `\r\n\r\na,b\r\n${end}`;
  const { contentType, content } = await readForm([encode(shouting)]);
  assertEquals([contentType, content], ["text/csv", "a,b"]);
  const quoted = encode(wholeForm.replaceAll("-limit-7", "a b:c"));
  const named = 'Multipart/Form-Data; charset=utf-8; Boundary="a b:c"';
  assertEquals((await readForm([quoted], named)).fields, { before: "olá", behind: "" });
});

Deno.test("a form that is cut off, malformed or too large is refused, and its sender let go", async () => {
  const file = part('name="file"; filename="a"', "content");
  const refused: readonly (readonly [string, string, string?])[] = [
    ["cut off within the last boundary", file + end.slice(0, -4)],
    ["without an end", file],
    ["empty", ""],
    ["without boundaries", "file=content"],
    ["with a boundary that goes on", `${file}---limit-77\r\n\r\n`],
    ["with a part that is no field", "---limit-7\r\nContent-Type: text/plain\r\n\r\nx\r\n" + end],
    ["without a file", part('name="text"', "x") + end],
    ["with two files", file + file + end],
    ["with a file of another name", part('name="photo"; filename="a"', "x") + file + end],
    ["with an endless head", `---limit-7\r\nX: ${"x".repeat(20_000)}`],
    ["with a long field", part('name="text"', "x".repeat(4_097)) + file + end],
    ["with many fields", part('name="text"', "x").repeat(20) + file + end],
    ["without a name for its boundary", file + end, "multipart/form-data; charset=utf-8"],
  ];
  for (const [name, form, type] of refused) {
    let isLetGo = false;
    const body = new ReadableStream<Bytes>({
      start: (controller) => controller.enqueue(encode(form)),
      pull(controller): void {
        isLetGo = true;
        controller.close();
      },
      cancel: () => {
        isLetGo = true;
      },
    }, { highWaterMark: 0 });
    const error = await assertRejects(
      async () => {
        const { body: content } = await readMultipartFile(openParts(body), type ?? formType);
        await new Response(content).bytes();
      },
      AppError,
      undefined,
      name,
    );
    assertEquals(error.code, "invalid_request", name);
    assert(isLetGo, name);
  }
});

Deno.test("white space behind a boundary is skipped up to 1 KiB, and not read beyond", async () => {
  const file = 'Content-Disposition: form-data; name="file"\r\n\r\ncontent\r\n';
  const padded = (length: number): string =>
    `---limit-7${" \t".repeat(length / 2)}\r\n${file}${end}`;
  assertEquals((await readForm([encode(padded(1_024))])).content, "content");
  const cut = [...encode(padded(1_024))].map((byte) => Uint8Array.of(byte));
  assertEquals((await readForm(cut)).content, "content");
  const forty = 40 * 1024 * 1024;
  const { error, bytes } = await refuseForm(function* (): Generator<Bytes> {
    yield encode("---limit-7");
    for (let sent = 0; sent < forty; sent += 65_536) yield new Uint8Array(65_536).fill(0x20);
  });
  assertEquals(error.code, "invalid_request");
  assert(bytes <= 4 * 65_536, `${bytes} bytes are read`);
});

Deno.test("a form in very many small parts is refused before most of it is read", async () => {
  const { error, bytes } = await refuseForm(function* (): Generator<Bytes> {
    yield encode(`---limit-7\r\nContent-Disposition: form-data; name="file"\r\n\r\n`);
    for (let sent = 0; sent < 300_000; sent++) yield Uint8Array.of(0x61);
  });
  assertEquals(error.code, "payload_too_large");
  assert(bytes <= 5_000, `${bytes} bytes are read`);
});

/** Reads a form that is refused. `bytes`: how many of it were read until then. */
async function refuseForm(
  send: () => Generator<Bytes>,
): Promise<{ readonly error: AppError; readonly bytes: number }> {
  let bytes = 0;
  const count = function* (): Generator<Bytes> {
    for (const part of send()) {
      bytes += part.length;
      yield part;
    }
  };
  const error = await assertRejects(async () => {
    const { body } = await readMultipartFile(openParts(ReadableStream.from(count())), formType);
    for await (const _ of body);
  }, AppError);
  return { error, bytes };
}
