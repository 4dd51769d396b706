import { createHash } from "node:crypto";
import { type FileRule, type MediaSource, openFile } from "../../../shared/media/checked_file.ts";
import { MediaFault } from "../../../shared/media/media_fault.ts";
import { megabyte } from "../../../shared/media/media_rules.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";

type Bytes = ReturnType<TextEncoder["encode"]>;

interface Sent extends MediaSource {
  /** How many bytes were asked of the sender, and whether it was told to stop. */
  readonly told: { bytes: number; isCanceled: boolean };
}

/** A file that arrives in parts of `partBytes`. */
function send(file: Bytes, { partBytes = 64 * 1024, ...given }: {
  partBytes?: number;
  contentType?: string;
  contentLength?: number;
} = {}): Sent {
  const told = { bytes: 0, isCanceled: false };
  const body = new ReadableStream<Bytes>({
    pull(controller): void {
      const part = file.slice(told.bytes, told.bytes + partBytes);
      if (part.byteLength === 0) return controller.close();
      told.bytes += part.byteLength;
      controller.enqueue(part);
    },
    cancel(): void {
      told.isCanceled = true;
    },
  }, { highWaterMark: 0 });
  return { body, told, contentType: given.contentType, contentLength: given.contentLength ?? null };
}

async function read(
  source: MediaSource,
  rule?: FileRule,
): Promise<{ bytes: Bytes; sha256: string }> {
  const file = await openFile(source, rule);
  const bytes = new Uint8Array(await new Response(file.body).arrayBuffer());
  const { size, sha256 } = file.facts();
  assertEquals(size, bytes.byteLength);
  return { bytes, sha256 };
}

async function refuse(source: Sent, rule?: FileRule): Promise<string> {
  return (await assertRejects(() => read(source, rule), MediaFault)).reason;
}

Deno.test("a file passes unchanged, in parts of any size, and its size and digest are known after it", async () => {
  const file = padded(heads.png, 100_000);
  crypto.getRandomValues(file.subarray(50, 60_000));
  const expected = createHash("sha256").update(file).digest("hex");
  for (const partBytes of [7, 4_096, 200_000]) {
    const { bytes, sha256 } = await read(send(file, { partBytes }), { sha256: expected });
    assertEquals(sha256, expected);
    assertEquals(bytes.every((byte, index) => byte === file[index]), true);
  }
});

Deno.test("a file of exactly its kind's limit passes, and one byte more does not", async () => {
  const limit = 5 * megabyte;
  assertEquals((await read(send(padded(heads.jpeg, limit)))).bytes.byteLength, limit);
  assertEquals(await refuse(send(padded(heads.jpeg, limit + 1))), "too_large");
  assertEquals(await refuse(send(padded(heads.mp3, 16 * megabyte + 1))), "too_large");
  assertEquals(await refuse(send(padded(heads.jpeg, limit + 1)), { kind: "image" }), "too_large");
  const asDocument = await read(send(padded(heads.jpeg, limit + 1)), { kind: "document" });
  assertEquals(asDocument.bytes.byteLength, limit + 1);
});

Deno.test("a file that is announced as too large is not read", async () => {
  const source = send(padded(heads.jpeg, 100), { contentLength: 5 * megabyte + 1 });
  assertEquals(await refuse(source, { kind: "image" }), "too_large");
  assertEquals(source.told.bytes, 0);
});

Deno.test("a file that never ends is read no further than its limit", async () => {
  const endless = send(padded(heads.png, 60 * megabyte), { contentLength: 100 });
  assertEquals(await refuse(endless), "too_large");
  assertEquals(endless.told.isCanceled, true);
  assertEquals(endless.told.bytes <= 5 * megabyte + 64 * 1024, true);
});

Deno.test("a file with another digest fails before its end, and so does an empty one", async () => {
  const source = send(padded(heads.pdf, 9_000));
  assertEquals(await refuse(source, { sha256: "0".repeat(64) }), "wrong_sha256");
  assertEquals(await refuse(send(new Uint8Array())), "empty_file");
});

Deno.test("a reader that stops stops the sender", async () => {
  const source = send(padded(heads.pdf, 200_000));
  const { body } = await openFile(source);
  await body.cancel();
  assertEquals(source.told, { bytes: 64 * 1024, isCanceled: true });
});
