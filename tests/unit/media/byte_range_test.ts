import { sliceStream } from "../../../shared/media/byte_range.ts";
import { assert, assertEquals } from "../../support/assert.ts";

Deno.test("any part of a stream is cut out exactly, however it arrives, and the rest is let go", async () => {
  const bytes = Uint8Array.from({ length: 12 }, (_, index) => index);
  for (const chunkSize of [1, 5, 12]) {
    for (let start = 0; start < bytes.length; start++) {
      for (let end = start + 1; end <= bytes.length; end++) {
        let isCanceled = false;
        let position = 0;
        const content = new ReadableStream({
          pull(controller): void {
            if (position >= bytes.length) return controller.close();
            controller.enqueue(bytes.slice(position, position += chunkSize));
          },
          cancel: () => {
            isCanceled = true;
          },
        }, { highWaterMark: 0 });
        const part = await new Response(sliceStream(content, { start, end })).bytes();
        assertEquals(part, bytes.slice(start, end), `${start} to ${end} by ${chunkSize}`);
        assert(isCanceled);
      }
    }
  }
});
