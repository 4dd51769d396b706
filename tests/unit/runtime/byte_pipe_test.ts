import { BytePipe } from "../../../shared/runtime/byte_pipe.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";

Deno.test("a reader gets what is written, in order, and a writer waits for the reader", async () => {
  const pipe = new BytePipe();
  let written = 0;
  const writing = (async () => {
    for (const part of ["a", "b", "c"]) {
      await pipe.write(new TextEncoder().encode(part));
      written++;
    }
    pipe.close();
  })();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(written, 0);
  assertEquals(await new Response(pipe.readable).text(), "abc");
  await writing;
});

Deno.test("a failure ends a writer that nobody reads, and a reader that nobody writes to", async () => {
  const unread = new BytePipe();
  const writing = unread.write(new Uint8Array(1));
  unread.fail(new Error("gone"));
  await assertRejects(() => writing, Error, "gone");
  await assertRejects(() => unread.write(new Uint8Array(1)), Error, "gone");
  const unwritten = new BytePipe();
  const reading = new Response(unwritten.readable).arrayBuffer();
  unwritten.fail(new Error("gone"));
  await assertRejects(() => reading, Error, "gone");
});
