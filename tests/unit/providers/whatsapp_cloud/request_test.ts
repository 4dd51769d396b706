import type { MessageContent } from "../../../../shared/model/message_content.ts";
import type { OutboundMessage } from "../../../../shared/providers/provider.ts";
import { toWhatsappCloudRequest } from "../../../../shared/providers/whatsapp_cloud/request.ts";
import { assertEquals, assertThrows } from "../../../support/assert.ts";

const config = {
  phoneNumberId: "106540352242922",
  accessToken: "token",
  appSecret: "secret",
  verifyToken: "verify",
};

function message(content: MessageContent, delayTypingMs?: number): OutboundMessage {
  return { messageId: "0b7c2f0e-own-id", to: "5511987654321", content, delayTypingMs };
}

/** The members besides those of every message. */
function contentMembers(content: MessageContent): Record<string, unknown> {
  const body = { ...toWhatsappCloudRequest(message(content), config).body };
  for (const key of ["messaging_product", "recipient_type", "to", "biz_opaque_callback_data"]) {
    delete body[key];
  }
  return body;
}

Deno.test("Cloud API: a text is the whole documented request and carries our message id", () => {
  const request = toWhatsappCloudRequest(
    message({ messageType: "text", message: "Olá" }, 5_000),
    config,
  );
  assertEquals(request, {
    path: "/v26.0/106540352242922/messages",
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "5511987654321",
      type: "text",
      text: { body: "Olá" },
      biz_opaque_callback_data: "0b7c2f0e-own-id",
    },
  });
});

Deno.test("Cloud API: the version is the instance's and the id cannot leave its path segment", () => {
  const { path } = toWhatsappCloudRequest(message({ messageType: "text", message: "a" }), {
    ...config,
    apiVersion: "v25.0",
    phoneNumberId: "1/../2?x#y",
  });
  assertEquals(path, "/v25.0/1%2F..%2F2%3Fx%23y/messages");
});

Deno.test("Cloud API: media are links, captions only where there is one to show", () => {
  const link = "https://files.example.com/a.png";
  assertEquals(contentMembers({ messageType: "image", mediaUrl: link, message: "legenda" }), {
    type: "image",
    image: { link, caption: "legenda" },
  });
  assertEquals(contentMembers({ messageType: "image", mediaUrl: link, message: "" }), {
    type: "image",
    image: { link },
  });
  const video = "https://files.example.com/a.mp4";
  assertEquals(contentMembers({ messageType: "video", mediaUrl: video, message: "legenda" }), {
    type: "video",
    video: { link: video, caption: "legenda" },
  });
  const audio = "https://files.example.com/a.mp3";
  assertEquals(contentMembers({ messageType: "audio", mediaUrl: audio }), {
    type: "audio",
    audio: { link: audio },
  });
});

Deno.test("Cloud API: a document keeps its file name, else takes that of its URL", () => {
  const link = "https://files.example.com/x/fatura%2011.pdf?sig=1";
  assertEquals(
    contentMembers({
      messageType: "document",
      mediaUrl: link,
      mediaFilename: "Fatura.pdf",
      message: "Novembro",
    }),
    { type: "document", document: { link, caption: "Novembro", filename: "Fatura.pdf" } },
  );
  assertEquals(contentMembers({ messageType: "document", mediaUrl: link }), {
    type: "document",
    document: { link, filename: "fatura 11.pdf" },
  });
  const bare = "https://files.example.com/download";
  assertEquals(contentMembers({ messageType: "document", mediaUrl: bare }), {
    type: "document",
    document: { link: bare },
  });
});

Deno.test("Cloud API: a file sent as document travels as the type that carries its format", () => {
  for (
    const [extension, type] of [
      ["mp4", "video"],
      ["jpg", "image"],
      ["JPEG", "image"],
      ["png", "image"],
    ] as const
  ) {
    const link = `https://files.example.com/a.${extension}`;
    assertEquals(
      contentMembers({
        messageType: "document",
        mediaUrl: link,
        mediaFilename: "x.pdf",
        message: "m",
      }),
      { type, [type]: { link, caption: "m" } },
    );
  }
  const audio = "https://files.example.com/a.mp3";
  assertEquals(contentMembers({ messageType: "document", mediaUrl: audio, message: "" }), {
    type: "audio",
    audio: { link: audio },
  });
  const bare = "https://files.example.com/download?id=7";
  assertEquals(
    contentMembers({ messageType: "document", mediaUrl: bare, mediaFilename: "clip.mp4" }),
    { type: "video", video: { link: bare } },
  );
});

const options = [
  { id: "a", title: "Suporte", description: "Fale conosco" },
  { id: "b", title: "Vendas", description: "" },
  { id: "c", title: "Outros" },
];
const rows = [options[0], { id: "b", title: "Vendas" }, { id: "c", title: "Outros" }];

Deno.test("Cloud API: a list's title of up to 24 characters is the section's, a longer one the header", () => {
  const list = (title: string): Record<string, unknown> =>
    contentMembers({
      messageType: "option_list",
      message: "Escolha",
      optionList: { title, buttonLabel: "Abrir", options },
    });
  const short = "💬".repeat(24);
  assertEquals(list(short), {
    type: "interactive",
    interactive: {
      type: "list",
      body: { text: "Escolha" },
      action: { button: "Abrir", sections: [{ title: short, rows }] },
    },
  });
  const long = "t".repeat(25);
  assertEquals(list(long), {
    type: "interactive",
    interactive: {
      type: "list",
      header: { type: "text", text: long },
      body: { text: "Escolha" },
      action: { button: "Abrir", sections: [{ rows }] },
    },
  });
});

Deno.test("Cloud API: a template is sent in its own form, without components if it has none", () => {
  const components = [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }];
  assertEquals(
    contentMembers({
      messageType: "template",
      template: { name: "ola", language: "pt_BR", components },
    }),
    {
      type: "template",
      template: { name: "ola", language: { code: "pt_BR" }, components },
    },
  );
  assertEquals(
    contentMembers({
      messageType: "template",
      template: { name: "ola", language: "pt_BR", components: [] },
    }),
    { type: "template", template: { name: "ola", language: { code: "pt_BR" } } },
  );
});

Deno.test("Cloud API: a missing phone number id and unsupported content are defects", () => {
  const { phoneNumberId: _, ...unconfigured } = config;
  assertThrows(
    () => toWhatsappCloudRequest(message({ messageType: "text", message: "a" }), unconfigured),
    Error,
    "phone number id",
  );
  const wav = { messageType: "audio", mediaUrl: "https://files.example.com/a.wav" } as const;
  assertThrows(() => toWhatsappCloudRequest(message(wav), config), Error, "WAV");
});

Deno.test("Cloud API: a group is addressed as one, by its own id", () => {
  const to = "12036302394875@g.us";
  const text = message({ messageType: "text", message: "a" });
  const body = { ...toWhatsappCloudRequest({ ...text, to }, config).body };
  assertEquals([body["recipient_type"], body["to"]], ["group", "12036302394875"]);
});
