import type { MessageContent } from "../../../../shared/model/message_content.ts";
import type { Receipt } from "../../../../shared/providers/provider.ts";
import { readZapiAnswer } from "../../../../shared/providers/zapi/answer.ts";
import { toZapiRequest } from "../../../../shared/providers/zapi/request.ts";
import { assertEquals, assertThrows } from "../../../support/assert.ts";
import { jsonAnswer, plainReading, textAnswer } from "../answers.ts";

const config = { gatewayInstanceId: "3C01", token: "T0K", webhookSecret: "hook" };
const root = "/instances/3C01/token/T0K";
const phone = "5511987654321";

function convert(
  content: MessageContent,
  delayTypingMs?: number,
): ReturnType<typeof toZapiRequest> {
  return toZapiRequest({ messageId: "own", to: phone, content, delayTypingMs }, config);
}

Deno.test("Z-API: text, image, video and audio are the documented requests", () => {
  assertEquals(convert({ messageType: "text", message: "Olá" }), {
    path: `${root}/send-text`,
    body: { phone, message: "Olá" },
  });
  const image = "https://files.example.com/a.png";
  assertEquals(convert({ messageType: "image", mediaUrl: image, message: "legenda" }), {
    path: `${root}/send-image`,
    body: { phone, image, caption: "legenda" },
  });
  assertEquals(convert({ messageType: "image", mediaUrl: image, message: "" }).body, {
    phone,
    image,
  });
  const video = "https://files.example.com/a.mp4";
  assertEquals(convert({ messageType: "video", mediaUrl: video, message: "legenda" }, 5_000), {
    path: `${root}/send-video`,
    body: { phone, video, caption: "legenda" },
  });
  const audio = "https://files.example.com/a.wav";
  assertEquals(convert({ messageType: "audio", mediaUrl: audio }), {
    path: `${root}/send-audio`,
    body: { phone, audio },
  });
});

Deno.test("Z-API: a position's degrees are texts without an exponent", () => {
  const location = { latitude: 51.477928, longitude: -4e-7 };
  const coordinates = "51.477928, -0.0000004";
  assertEquals(convert({ messageType: "location", location }), {
    path: `${root}/send-location`,
    body: {
      ...{ phone, title: coordinates, address: coordinates },
      ...{ latitude: "51.477928", longitude: "-0.0000004" },
    },
  });
});

Deno.test("Z-API: a document's extension is its URL's, else its file name's, else pdf", () => {
  const document = (mediaUrl: string, mediaFilename?: string): ReturnType<typeof convert> =>
    convert({ messageType: "document", mediaUrl, mediaFilename, message: "c" });
  assertEquals(document("https://f.example.com/video.MP4?x=1.pdf", "a.pdf"), {
    path: `${root}/send-document/mp4`,
    body: {
      phone,
      document: "https://f.example.com/video.MP4?x=1.pdf",
      fileName: "a.pdf",
      caption: "c",
    },
  });
  assertEquals(document("https://f.example.com/get", "a.docx").path, `${root}/send-document/docx`);
  assertEquals(document("https://f.example.com/get").path, `${root}/send-document/pdf`);
  assertEquals(document("https://f.example.com/get").body, {
    phone,
    document: "https://f.example.com/get",
    caption: "c",
  });
});

Deno.test("Z-API: an option list keeps its ids and its shape", () => {
  const optionList = {
    title: "Setores",
    buttonLabel: "Abrir",
    options: [{ id: "1", title: "Um", description: "d" }, { id: "2", title: "Dois" }],
  };
  assertEquals(convert({ messageType: "option_list", message: "Escolha", optionList }, 2_000), {
    path: `${root}/send-option-list`,
    body: {
      phone,
      message: "Escolha",
      optionList: {
        title: "Setores",
        buttonLabel: "Abrir",
        options: [
          { id: "1", title: "Um", description: "d" },
          { id: "2", title: "Dois", description: "" },
        ],
      },
    },
  });
});

Deno.test("Z-API: typing is whole seconds, rounded up, 1 to 15, for text and audio alone", () => {
  const typing = (delayTypingMs?: number): unknown =>
    convert({ messageType: "text", message: "a" }, delayTypingMs).body["delayTyping"];
  const cases = [[undefined, undefined], [0, undefined], [1, 1], [1_000, 1], [1_001, 2]] as const;
  for (const [given, sent] of [...cases, [15_000, 15], [60_000, 15]] as const) {
    assertEquals(typing(given), sent, `${given} ms`);
  }
  const mediaUrl = "https://files.example.com/a";
  assertEquals(convert({ messageType: "audio", mediaUrl }, 1_500).body["delayTyping"], 2);
  assertEquals("delayTyping" in convert({ messageType: "image", mediaUrl }, 1_500).body, false);
  assertEquals("delayTyping" in convert({ messageType: "document", mediaUrl }, 1_500).body, false);
});

Deno.test("Z-API: instance and token cannot leave their path segments", () => {
  const request = toZapiRequest(
    { messageId: "own", to: phone, content: { messageType: "text", message: "a" } },
    { ...config, gatewayInstanceId: "a/b", token: "c?d" },
  );
  assertEquals(request.path, "/instances/a%2Fb/token/c%3Fd/send-text");
});

Deno.test("Z-API: a template is a defect", () => {
  const template = { name: "a", language: "en", components: [] };
  assertThrows(() => convert({ messageType: "template", template }), Error, "rendered");
});

Deno.test("Z-API: the accepted message has the id that its events carry", () => {
  const read = (json: unknown): Receipt => readZapiAnswer(jsonAnswer(200, json), plainReading);
  assertEquals(read({ zaapId: "z", messageId: "m", id: "i" }), {
    outcome: "accepted",
    providerMessageId: "m",
  });
  assertEquals(read({ zaapId: "z", id: "i" }), { outcome: "accepted", providerMessageId: "i" });
  const unknown = { outcome: "unknown", reason: "answer_without_message_id" } as const;
  for (const json of [{ zaapId: "z" }, {}, null, [], "ok", { messageId: 7 }]) {
    assertEquals(read(json), unknown);
  }
  assertEquals(readZapiAnswer(textAnswer(200, "OK"), plainReading), unknown);
});

Deno.test("Z-API: a refusal holds its error text and is classified by HTTP status", () => {
  assertEquals(readZapiAnswer(jsonAnswer(403, { error: "null not allowed" }), plainReading), {
    outcome: "rejected",
    code: "http_403",
    message: "null not allowed",
    retryable: false,
    scope: "instance",
  });
  assertEquals(
    readZapiAnswer(jsonAnswer(400, { error: "Bad", message: "phone" }), plainReading),
    {
      outcome: "rejected",
      code: "http_400",
      message: "Bad: phone",
      retryable: false,
      scope: "message",
    },
  );
  assertEquals(
    readZapiAnswer(jsonAnswer(429, {}, { "retry-after": "3" }), plainReading),
    {
      outcome: "rejected",
      code: "http_429",
      message: "The provider answered with HTTP status 429.",
      retryable: true,
      retryAfterMs: 3_000,
      scope: "instance",
    },
  );
  assertEquals(readZapiAnswer(textAnswer(500, "oops"), plainReading), {
    outcome: "unknown",
    reason: "http_500",
  });
});
