/** Validates every request body for the Cloud API against Meta's own OpenAPI description. */
import fc from "fast-check";
import type { MessageContent } from "../../../shared/model/message_content.ts";
import { checkWhatsappCloudContent } from "../../../shared/providers/whatsapp_cloud/content.ts";
import { toWhatsappCloudRequest } from "../../../shared/providers/whatsapp_cloud/request.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import { isMissing, loadJudge, note } from "./meta_openapi_judge.ts";

const config = {
  phoneNumberId: "106540352242922",
  accessToken: "a",
  appSecret: "b",
  verifyToken: "c",
};

function bodyOf(content: MessageContent): Record<string, unknown> {
  const messageId = "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11";
  const quotedProviderMessageId = content.messageType === "reaction" ? "wamid.A" : undefined;
  const message = { messageId, to: "5511987654321", content, quotedProviderMessageId };
  return { ...toWhatsappCloudRequest(message, config).body };
}

const text = bodyOf({ messageType: "text", message: "Olá" });
const base = "https://files.example.com/a";

function list(title: string, options: number): MessageContent {
  return {
    messageType: "option_list",
    message: "m".repeat(1_024),
    optionList: {
      title,
      buttonLabel: "b".repeat(20),
      options: Array.from({ length: options }, (_, position) => ({
        id: `${position}`.padEnd(200, "-"),
        title: "🙂".repeat(24),
        description: position % 2 === 0 ? "d".repeat(72) : "",
      })),
    },
  };
}

function template(components: Record<string, unknown>[]): MessageContent {
  return { messageType: "template", template: { name: "ola", language: "pt_BR", components } };
}

const templates: readonly MessageContent[] = [
  template([]),
  template([
    { type: "header", parameters: [{ type: "image", image: { link: `${base}.jpg` } }] },
    { type: "body", parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "7" }] },
    {
      type: "button",
      sub_type: "url",
      index: "0",
      parameters: [{ type: "text", text: "suffix" }],
    },
    {
      type: "button",
      sub_type: "quick_reply",
      index: "1",
      parameters: [{ type: "payload", payload: "YES" }],
    },
  ]),
  template([
    { type: "header", parameters: [{ type: "document", document: { id: "77" } }] },
    { type: "body", parameters: [{ type: "text", parameter_name: "nome", text: "Ana" }] },
  ]),
];

Deno.test({
  name: `Meta's description accepts every kind of message at its limits${note}`,
  ignore: isMissing,
  fn(): void {
    const judge = loadJudge();
    const contents: MessageContent[] = [
      { messageType: "text", message: "🙂".repeat(4_096) },
      { messageType: "image", mediaUrl: `${base}.png`, message: "c".repeat(1_024) },
      { messageType: "image", mediaUrl: base },
      { messageType: "video", mediaUrl: `${base}.mp4`, message: "c".repeat(1_024) },
      { messageType: "audio", mediaUrl: `${base}.mp3` },
      ...["pdf", "mp4", "jpg", "jpeg", "png"].map((extension): MessageContent => ({
        messageType: "document",
        mediaUrl: `${base}.${extension}`,
        mediaFilename: `a.${extension}`,
        message: "c".repeat(1_024),
      })),
      { messageType: "document", mediaUrl: `${base}.mp3`, mediaFilename: "a.mp3" },
      { messageType: "document", mediaUrl: base, message: "" },
      ...Object.values<MessageContent>(oneOfEachType),
      {
        messageType: "buttons",
        message: "m".repeat(1_024),
        header: { text: "h".repeat(60) },
        footer: "f".repeat(60),
        buttons: ["a", "b", "c"].map((id) => ({ id: id.repeat(256), title: id.repeat(20) })),
      },
      {
        messageType: "link_button",
        message: "m".repeat(1_024),
        linkButton: { title: "t".repeat(20), url: "https://example.com" },
      },
      list("t".repeat(24), 10),
      list("t".repeat(60), 1),
      ...templates,
    ];
    for (const content of contents) {
      assertEquals(checkWhatsappCloudContent(content), []);
      assert(judge(bodyOf(content)), JSON.stringify([content, judge.errors]));
    }
  },
});

const extensions = ["", ".pdf", ".mp4", ".jpg", ".png", ".mp3", ".wav"];
const words = (max: number): fc.Arbitrary<string> =>
  fc.string({ unit: "grapheme", minLength: 1, maxLength: max, size: "max" });
const mediaUrl = fc.constantFrom(...extensions).map((extension) => base + extension);
const contents: fc.Arbitrary<MessageContent> = fc.oneof(
  fc.record({ messageType: fc.constant("text" as const), message: words(4_200) }),
  fc.record({ messageType: fc.constant("image" as const), mediaUrl, message: words(1_100) }),
  fc.record({ messageType: fc.constant("video" as const), mediaUrl, message: words(1_100) }),
  fc.record({ messageType: fc.constant("audio" as const), mediaUrl }),
  fc.record({
    messageType: fc.constant("document" as const),
    mediaUrl,
    mediaFilename: fc.option(words(40), { nil: undefined }),
    message: fc.option(words(1_100), { nil: undefined }),
  }),
  fc.record({
    messageType: fc.constant("option_list" as const),
    message: words(1_100),
    optionList: fc.record({
      title: words(70),
      buttonLabel: words(22),
      options: fc.uniqueArray(
        fc.record({
          id: words(30),
          title: words(25),
          description: fc.option(fc.string({ maxLength: 74 }), { nil: undefined }),
        }),
        { minLength: 1, maxLength: 10, selector: ({ id }) => id },
      ),
    }),
  }),
);

Deno.test({
  name: `Meta's description accepts everything that our validation accepts${note}`,
  ignore: isMissing,
  fn(): void {
    const judge = loadJudge();
    fc.assert(
      fc.property(contents, (content) => {
        fc.pre(checkWhatsappCloudContent(content).length === 0);
        assert(judge(bodyOf(content)), JSON.stringify(judge.errors));
      }),
      // Shrinking long texts would take minutes.
      { numRuns: 300, endOnFailure: true },
    );
  },
});

/**
 * Bodies with one flaw each. The validation must find all of them, or its success would mean
 * nothing.
 */
const mistakes: Readonly<Record<string, unknown>> = {
  "no recipient": { ...text, to: undefined },
  "another product": { ...text, messaging_product: 7 },
  "unknown type": { ...text, type: "option_list" },
  "content of another type": { ...text, type: "image" },
  "two contents": { ...text, image: { link: `${base}.png` } },
  "unknown member": { ...text, delayTyping: 3 },
  "no body": { ...text, text: {} },
  "text too long": { ...text, text: { body: "a".repeat(4_097) } },
  "callback data too long": { ...text, biz_opaque_callback_data: "a".repeat(513) },
  "audio with caption": { ...text, ...media("audio", { link: base, caption: "c" }) },
  "image with file name": { ...text, ...media("image", { link: base, filename: "a" }) },
  "media without a source": { ...text, ...media("image", { caption: "c" }) },
  "media with two sources": { ...text, ...media("video", { link: base, id: "1" }) },
  "caption too long": { ...text, ...media("document", { link: base, caption: "c".repeat(1_025) }) },
  "list of eleven": bodyOf(list("t", 11)),
  "list without rows": bodyOf(list("t", 0)),
  "list header too long": bodyOf(list("t".repeat(61), 2)),
  "template without language": { ...text, ...media("template", { name: "a" }) },
  "button without index": bodyOf(
    template([{ type: "button", sub_type: "url", parameters: [{ type: "text", text: "a" }] }]),
  ),
  "header image without a source": bodyOf(
    template([{ type: "header", parameters: [{ type: "image", image: {} }] }]),
  ),
  "text parameter without text": bodyOf(
    template([{ type: "body", parameters: [{ type: "text" }] }]),
  ),
};

function media(type: string, content: unknown): Record<string, unknown> {
  return { text: undefined, type, [type]: content };
}

Deno.test({
  name: `Meta's description, as corrected, refuses each deliberate mistake${note}`,
  ignore: isMissing,
  fn(): void {
    const judge = loadJudge();
    for (const [name, body] of Object.entries(mistakes)) {
      // The body as sent: without undefined members.
      assertEquals(judge(JSON.parse(JSON.stringify(body))), false, name);
    }
    assert(judge(text));
  },
});
