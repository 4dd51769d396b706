import {
  contentKinds,
  type MessageContent,
  type MessageType,
  readStoredContent,
  toMessageContent,
  toStoredContent,
} from "../../../shared/model/message_content.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const mediaUrl = "https://cdn.example.com/file";
const optionList = {
  title: "Horários",
  buttonLabel: "Ver",
  options: [{ id: "1", title: "Manhã" }],
};
const template = { name: "aviso", language: "pt_BR", components: [] };

/** One of each type, with all that it may hold. */
const contents: { readonly [Type in MessageType]: Extract<MessageContent, { messageType: Type }> } =
  {
    text: { messageType: "text", message: "Oi" },
    image: { messageType: "image", mediaUrl, message: "Veja" },
    video: { messageType: "video", mediaUrl, message: "Veja" },
    audio: { messageType: "audio", mediaUrl },
    document: { messageType: "document", mediaUrl, message: "Segue", mediaFilename: "a.pdf" },
    option_list: { messageType: "option_list", message: "Quando?", optionList },
    contact_request: { messageType: "contact_request", message: "Seu número?" },
    template: { messageType: "template", template },
  };

Deno.test("every content is the same after it was stored and read", () => {
  assertEquals(Object.keys(contents), Object.keys(contentKinds));
  for (const content of Object.values<MessageContent>(contents)) {
    const stored = JSON.parse(JSON.stringify(toStoredContent(content)));
    assertEquals(readStoredContent(stored), content);
  }
});

Deno.test("words are stored apart from the rest of a content, and words alone have no rest", () => {
  assertEquals(toStoredContent(contents.text), {
    messageType: "text",
    message: "Oi",
    content: null,
  });
  assertEquals(toStoredContent({ ...contents.image, mediaFilename: undefined }), {
    messageType: "image",
    message: "Veja",
    content: { mediaUrl },
  });
});

Deno.test("a content takes the fields of its type and no others", () => {
  const given = { message: "Oi", mediaUrl, mediaFilename: "a.pdf", optionList, template };
  for (const content of Object.values<MessageContent>(contents)) {
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
