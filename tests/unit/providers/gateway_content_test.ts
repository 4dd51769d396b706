import { checkGatewayContent } from "../../../shared/providers/gateway_content.ts";
import type { MessageContent } from "../../../shared/model/message_content.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const mediaUrl = "https://files.example.com/a.wav";

function paths(content: MessageContent): string[] {
  return checkGatewayContent(content).map(({ path }) => path);
}

Deno.test("gateways accept texts and captions of up to 65,536 characters", () => {
  const contents: ((message: string) => MessageContent)[] = [
    (message) => ({ messageType: "text", message }),
    (message) => ({ messageType: "image", mediaUrl, message }),
    (message) => ({ messageType: "video", mediaUrl, message }),
    (message) => ({ messageType: "document", mediaUrl, message }),
    (message) => ({
      messageType: "option_list",
      message,
      optionList: { title: "t", buttonLabel: "b", options: [] },
    }),
  ];
  for (const content of contents) {
    assertEquals(paths(content("🙂".repeat(65_536))), []);
    assertEquals(paths(content("🙂".repeat(65_537))), ["message"]);
  }
});

Deno.test("gateways accept every audio, and list fields longer than the official channel's", () => {
  assertEquals(paths({ messageType: "audio", mediaUrl }), []);
  const list = (text: string): MessageContent => ({
    messageType: "option_list",
    message: "m",
    optionList: {
      title: text,
      buttonLabel: text,
      options: [{ id: text, title: text, description: text }],
    },
  });
  assertEquals(paths(list("x".repeat(1_024))), []);
  assertEquals(paths(list("x".repeat(1_025))), [
    "optionList.title",
    "optionList.buttonLabel",
    "optionList.options.0.id",
    "optionList.options.0.title",
    "optionList.options.0.description",
  ]);
});

Deno.test("a template given to a gateway is a defect, not an issue of the caller", () => {
  const template = { name: "a", language: "en", components: [] };
  assertThrows(() => checkGatewayContent({ messageType: "template", template }), Error, "rendered");
});
