import { loadLinksOfRequest, toLinkedContent } from "../../../shared/messages/requested_file.ts";
import type { MediaLinks } from "../../../shared/media/links.ts";
import type { MessageRequest } from "../../../shared/model/message_request.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const links = { create: (mediaId: string) => `https://files.example/${mediaId}` } as MediaLinks;
const image: MessageRequest = { messageType: "image", mediaId: "m1" };
const text: MessageRequest = { messageType: "text", message: "Olá" };

Deno.test("links are loaded for a request that names a file, and no such request leaves without one", async () => {
  let loads = 0;
  const files = {
    loadLinks: () => {
      loads += 1;
      return Promise.resolve(links);
    },
  };
  assertEquals(await loadLinksOfRequest(files, text), null);
  assertEquals(loads, 0);
  const loaded = await loadLinksOfRequest(files, image);
  assertEquals(loads, 1);
  const linked = toLinkedContent(image, null, loaded);
  assertEquals("mediaUrl" in linked ? linked.mediaUrl : null, "https://files.example/m1");
  assertEquals(toLinkedContent(text, null, null).messageType, "text");
  assertThrows(() => toLinkedContent(image, null, null), Error, "has no links");
});
