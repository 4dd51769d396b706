import { decodeBase64Member } from "../../../shared/media/base64_member.ts";
import { MediaFault } from "../../../shared/media/media_fault.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import type { Bytes } from "../../../shared/model/bytes.ts";

/** A gateway that answers with these parts, and then goes on with spaces for ever. */
function answer(parts: readonly string[]): { body: ReadableStream<Bytes>; isLetGo(): boolean } {
  const encoder = new TextEncoder();
  const rest = [...parts];
  let isLetGo = false;
  const body = new ReadableStream<Bytes>({
    pull: (controller) => controller.enqueue(encoder.encode(rest.shift() ?? " ".repeat(65_536))),
    cancel: () => {
      isLetGo = true;
    },
  }, { highWaterMark: 0 });
  return { body, isLetGo: () => isLetGo };
}

Deno.test("a file in a JSON answer is decoded however it is cut, and what follows it is let go", async () => {
  const text = '{"mimetype":"image/jpeg","base64":"data:image/jpeg;base64,SGVs\\/bG8rw==","size":1';
  for (const size of [1, 3, 7, 1_000]) {
    const parts = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
    const { body, isLetGo } = answer(parts);
    const decoded = new Uint8Array(await new Response(decodeBase64Member(body)).arrayBuffer());
    assertEquals(decoded, Uint8Array.from(atob("SGVs/bG8rw=="), (c) => c.charCodeAt(0)));
    assertEquals(isLetGo(), true);
  }
});

Deno.test("an answer that never comes to its file is let go", async () => {
  const { body, isLetGo } = answer(['{"error":"none"']);
  await assertRejects(() => new Response(decodeBase64Member(body)).arrayBuffer(), MediaFault);
  assertEquals(isLetGo(), true);
});
