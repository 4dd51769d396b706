import type { MessageContent } from "../../../../shared/model/message_content.ts";
import { checkWhatsappCloudContent } from "../../../../shared/providers/whatsapp_cloud/content.ts";
import { assertEquals } from "../../../support/assert.ts";

const base = "https://files.example.com/a";

function paths(content: MessageContent): string[] {
  return checkWhatsappCloudContent(content).map(({ path }) => path);
}

function list(change: {
  message?: string;
  title?: string;
  buttonLabel?: string;
  option?: { id?: string; title?: string; description?: string };
}): MessageContent {
  return {
    messageType: "option_list",
    message: change.message ?? "body",
    optionList: {
      title: change.title ?? "title",
      buttonLabel: change.buttonLabel ?? "open",
      options: [{ id: "1", title: "one" }, { id: "2", title: "two", ...change.option }],
    },
  };
}

Deno.test("Cloud API: every length limit holds to the character, counted in code points", () => {
  const emoji = (count: number): string => "🙂".repeat(count);
  const cases: [string, number, (text: string) => MessageContent][] = [
    ["message", 4_096, (message) => ({ messageType: "text", message })],
    ["message", 1_024, (message) => ({ messageType: "image", mediaUrl: `${base}.png`, message })],
    ["message", 1_024, (message) => ({ messageType: "video", mediaUrl: `${base}.mp4`, message })],
    ["message", 1_024, (message) => ({ messageType: "document", mediaUrl: base, message })],
    [
      "message",
      1_024,
      (message) => ({ messageType: "document", mediaUrl: `${base}.mp4`, message }),
    ],
    ["message", 1_024, (message) => list({ message })],
    ["optionList.title", 60, (title) => list({ title })],
    ["optionList.buttonLabel", 20, (buttonLabel) => list({ buttonLabel })],
    ["optionList.options.1.id", 200, (id) => list({ option: { id } })],
    ["optionList.options.1.title", 24, (title) => list({ option: { title } })],
    ["optionList.options.1.description", 72, (description) => list({ option: { description } })],
  ];
  for (const [path, max, content] of cases) {
    assertEquals(paths(content(emoji(max))), [], path);
    assertEquals(paths(content(emoji(max + 1))), [path], path);
  }
});

Deno.test("Cloud API: all fields that are too long are reported at once", () => {
  assertEquals(
    paths(
      list({ message: "m".repeat(1_025), title: "t".repeat(61), option: { id: "i".repeat(201) } }),
    ),
    ["message", "optionList.title", "optionList.options.1.id"],
  );
});

Deno.test("Cloud API: WAV is refused as audio and as document, by the URL or by the file name", () => {
  assertEquals(paths({ messageType: "audio", mediaUrl: `${base}.wav` }), ["mediaUrl"]);
  assertEquals(paths({ messageType: "document", mediaUrl: `${base}.WAV` }), ["mediaUrl"]);
  assertEquals(
    paths({ messageType: "document", mediaUrl: base, mediaFilename: "a.wav" }),
    ["mediaUrl"],
  );
});

Deno.test("Cloud API: an MP3 sent as document cannot have a caption", () => {
  const document = { messageType: "document", mediaUrl: `${base}.mp3` } as const;
  assertEquals(paths({ ...document, message: "a" }), ["message"]);
  assertEquals(paths({ ...document, message: "" }), []);
  assertEquals(paths(document), []);
});

Deno.test("Cloud API: supported content passes", () => {
  const contents: MessageContent[] = [
    { messageType: "audio", mediaUrl: `${base}.mp3` },
    { messageType: "audio", mediaUrl: base },
    { messageType: "image", mediaUrl: `${base}.jpg`, message: "a" },
    { messageType: "document", mediaUrl: `${base}.pdf`, message: "a" },
    { messageType: "template", template: { name: "a", language: "en", components: [] } },
  ];
  for (const content of contents) assertEquals(paths(content), []);
});
