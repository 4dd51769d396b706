import { assertEquals, assertRejects } from "../../support/assert.ts";
import {
  blockBytes,
  type BodyFault,
  openParts,
  readBlocks,
} from "../../../shared/runtime/body_blocks.ts";

type Bytes = ReturnType<TextEncoder["encode"]>;

class Refusal extends Error {
  constructor(readonly fault: BodyFault) {
    super(fault);
  }
}

const refuse = (fault: BodyFault): Refusal => new Refusal(fault);

/** Bytes of which none is like its neighbours. */
function numbered(size: number): Bytes {
  return Uint8Array.from({ length: size }, (_, index) => index % 251);
}

function* cut(bytes: Bytes, size: number): Generator<Bytes> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A stream of a program, and one like the runtime's, which reads into a given buffer. */
const openings: readonly ((parts: Generator<Bytes>) => ReadableStream<Bytes>)[] = [
  (parts) => ReadableStream.from(parts),
  (parts) =>
    new ReadableStream({
      type: "bytes",
      pull(controller): void {
        const { done, value } = parts.next();
        if (done) {
          controller.close();
          controller.byobRequest?.respond(0);
        } else controller.enqueue(value.slice());
      },
      cancel: () => void parts.return(undefined),
    }),
];

async function readAll(body: ReadableStream<Bytes>, maxBytes = Infinity): Promise<Bytes[]> {
  return await Array.fromAsync(readBlocks(openParts(body), { maxBytes, refuse }));
}

Deno.test("a body is the same in blocks, however it is cut, and only its last block is smaller", async () => {
  for (const size of [0, 1, blockBytes - 1, blockBytes, 3 * blockBytes + 7]) {
    const bytes = numbered(size);
    for (const partSize of [700, blockBytes - 1, blockBytes, blockBytes + 1, 10 * blockBytes]) {
      for (const open of openings) {
        const blocks = await readAll(open(cut(bytes, partSize)));
        const sizes = blocks.map(({ length }) => length);
        const expected = Array.from(cut(bytes, blockBytes), ({ length }) => length);
        assertEquals(sizes, expected, `${size} bytes in parts of ${partSize}`);
        assertEquals(await new Blob(blocks).bytes(), bytes);
      }
    }
  }
});

Deno.test("a body in very many small parts is refused before most of it is read", async () => {
  for (const [partBytes, most] of [[1, 4_200], [256, 8_300]] as const) {
    for (const open of openings) {
      let read = 0;
      const parts = function* (): Generator<Bytes> {
        for (; read < 300_000; read++) yield numbered(partBytes);
      };
      const { fault } = await assertRejects(() => readAll(open(parts())), Refusal);
      assertEquals([fault, read <= most], ["too_many_parts", true], `${read} of ${partBytes}`);
    }
  }
});

Deno.test("a body in the packets of a slow network is read whole, whatever its size", async () => {
  const blocks = await readAll(ReadableStream.from(cut(numbered(8 * 1024 * 1024), 1_220)));
  assertEquals(blocks.reduce((size, { length }) => size + length, 0), 8 * 1024 * 1024);
});

Deno.test("a body that is too large, or that nobody reads further, lets its sender go", async () => {
  for (const open of openings) {
    let isLetGo = false;
    const parts = function* (): Generator<Bytes> {
      try {
        for (;;) yield numbered(10_000);
      } finally {
        isLetGo = true;
      }
    };
    const { fault } = await assertRejects(() => readAll(open(parts()), 100_000), Refusal);
    assertEquals([fault, isLetGo], ["too_large", true]);
    isLetGo = false;
    for await (const _ of readBlocks(openParts(open(parts())), { maxBytes: Infinity, refuse })) {
      break;
    }
    assertEquals(isLetGo, true);
  }
});
