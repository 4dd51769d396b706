import {
  contentKinds,
  type MessageContent,
  readStoredContent,
  toMessageContent,
  toStoredContent,
} from "../../../shared/model/message_content.ts";
import { oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

Deno.test("every content is the same after it was stored and read", () => {
  assertEquals(Object.keys(oneOfEachType), Object.keys(contentKinds));
  for (const content of Object.values<MessageContent>(oneOfEachType)) {
    const stored = JSON.parse(JSON.stringify(toStoredContent(content)));
    assertEquals(readStoredContent(stored), content);
  }
});

Deno.test("words are stored apart from the rest of a content, and words alone have no rest", () => {
  assertEquals(toStoredContent({ messageType: "text", message: "Olá" }), {
    messageType: "text",
    message: "Olá",
    content: null,
  });
  const { mediaUrl } = oneOfEachType.image;
  assertEquals(toStoredContent({ ...oneOfEachType.image, viewOnce: undefined }), {
    messageType: "image",
    message: "Veja",
    content: { mediaUrl },
  });
});

Deno.test("a content takes the fields of its type and no others", () => {
  const given = Object.assign({}, ...Object.values<MessageContent>(oneOfEachType));
  for (const content of Object.values<MessageContent>(oneOfEachType)) {
    const taken = toMessageContent(content.messageType, given);
    assertEquals(Object.keys(taken).toSorted(), Object.keys(content).toSorted());
  }
});

Deno.test("a stored message that lacks what its type needs, or cannot be sent, is a defect", () => {
  for (const messageType of Object.keys(contentKinds)) {
    const empty = { messageType, message: null, content: null };
    assertThrows(() => readStoredContent(empty), Error, "lacks a part");
  }
  const received = { messageType: "other", message: "[poll]", content: null };
  assertThrows(() => readStoredContent(received), Error, "cannot be sent");
});
