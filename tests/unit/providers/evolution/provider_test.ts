import { readEvolutionAnswer } from "../../../../shared/providers/evolution/answer.ts";
import { toEvolutionRequest } from "../../../../shared/providers/evolution/request.ts";
import type { MessageContent } from "../../../../shared/model/message_content.ts";
import type { Receipt } from "../../../../shared/providers/provider.ts";
import { assertEquals, assertThrows } from "../../../support/assert.ts";
import { jsonAnswer, plainReading, textAnswer } from "../answers.ts";

const config = {
  baseUrl: "https://evolution.example.com",
  instanceName: "loja 1",
  apiKey: "key",
  webhookSecret: "hook",
};
const number = "5511987654321";

function convert(
  content: MessageContent,
  delayTypingMs?: number,
): ReturnType<typeof toEvolutionRequest> {
  return toEvolutionRequest({ messageId: "own", to: number, content, delayTypingMs }, config);
}

Deno.test("Evolution: text and audio are the documented requests, the instance encoded", () => {
  assertEquals(convert({ messageType: "text", message: "Olá" }), {
    path: "/message/sendText/loja%201",
    body: { number, text: "Olá" },
  });
  const audio = "https://files.example.com/a.wav";
  assertEquals(convert({ messageType: "audio", mediaUrl: audio }), {
    path: "/message/sendWhatsAppAudio/loja%201",
    body: { number, audio },
  });
});

Deno.test("Evolution: media have their kind and, if the name has an extension, their MIME type", () => {
  const media = "https://files.example.com/a.png";
  assertEquals(convert({ messageType: "image", mediaUrl: media, message: "legenda" }), {
    path: "/message/sendMedia/loja%201",
    body: { number, mediatype: "image", media, mimetype: "image/png", caption: "legenda" },
  });
  const video = "https://files.example.com/clip.mp4";
  assertEquals(convert({ messageType: "document", mediaUrl: video }), {
    path: "/message/sendMedia/loja%201",
    body: {
      number,
      mediatype: "document",
      media: video,
      mimetype: "video/mp4",
      fileName: "clip.mp4",
    },
  });
  assertEquals(convert({ messageType: "video", mediaUrl: video, message: "legenda" }), {
    path: "/message/sendMedia/loja%201",
    body: { number, mediatype: "video", media: video, mimetype: "video/mp4", caption: "legenda" },
  });
  const bare = "https://files.example.com/download";
  assertEquals(
    convert({ messageType: "document", mediaUrl: bare, mediaFilename: "a.pdf", message: "" }).body,
    { number, mediatype: "document", media: bare, mimetype: "application/pdf", fileName: "a.pdf" },
  );
  assertEquals(convert({ messageType: "image", mediaUrl: bare }).body, {
    number,
    mediatype: "image",
    media: bare,
  });
});

Deno.test("Evolution: a list has its required footer, row ids, and a description in every row", () => {
  const optionList = {
    title: "Setores",
    buttonLabel: "Abrir",
    options: [
      { id: "1", title: "Um", description: "d" },
      { id: "2", title: "Dois", description: "" },
      { id: "3", title: "Três" },
    ],
  };
  assertEquals(convert({ messageType: "option_list", message: "Escolha", optionList }), {
    path: "/message/sendList/loja%201",
    body: {
      number,
      title: "Setores",
      description: "Escolha",
      footerText: "",
      buttonText: "Abrir",
      sections: [{
        title: "Setores",
        rows: [
          { rowId: "1", title: "Um", description: "d" },
          { rowId: "2", title: "Dois", description: "Dois" },
          { rowId: "3", title: "Três", description: "Três" },
        ],
      }],
    },
  });
});

Deno.test("Evolution: typing is a delay in milliseconds of at most 20 seconds, on every message", () => {
  const delay = (delayTypingMs?: number): unknown =>
    convert({ messageType: "text", message: "a" }, delayTypingMs).body["delay"];
  const cases = [[undefined, undefined], [0, undefined], [1, 1], [1_500.2, 1_501]] as const;
  for (const [given, sent] of [...cases, [20_000, 20_000], [60_000, 20_000]] as const) {
    assertEquals(delay(given), sent, `${given} ms`);
  }
  assertEquals(
    convert({ messageType: "audio", mediaUrl: "https://f.example.com/a" }, 10).body["delay"],
    10,
  );
});

Deno.test("Evolution: a template is a defect", () => {
  const template = { name: "a", language: "en", components: [] };
  assertThrows(() => convert({ messageType: "template", template }), Error, "rendered");
});

Deno.test("Evolution: an acceptance holds the key's id and the number of a personal JID", () => {
  const read = (key: unknown): Receipt =>
    readEvolutionAnswer(jsonAnswer(201, { key, status: "PENDING" }), plainReading);
  assertEquals(read({ remoteJid: "551187654321@s.whatsapp.net", fromMe: true, id: "3EB0" }), {
    outcome: "accepted",
    providerMessageId: "3EB0",
    waId: "551187654321",
  });
  for (const server of [":12@s.whatsapp.net", "@hosted", "@c.us"]) {
    assertEquals(read({ remoteJid: `551187654321${server}`, id: "3EB0" }), {
      outcome: "accepted",
      providerMessageId: "3EB0",
      waId: "551187654321",
    });
  }
  for (const remoteJid of [undefined, "99887766554433@lid", "120363@g.us", 7]) {
    assertEquals(read({ remoteJid, id: "3EB0" }), {
      outcome: "accepted",
      providerMessageId: "3EB0",
    });
  }
  for (const key of [undefined, null, {}, { id: "" }]) {
    assertEquals(read(key), { outcome: "unknown", reason: "answer_without_message_id" });
  }
});

Deno.test("Evolution: a number without WhatsApp is recognised by the number lookup, not by the error text", () => {
  const refuse = (status: number, message: unknown): Receipt =>
    readEvolutionAnswer(
      jsonAnswer(status, { status, error: "Bad Request", response: { message } }),
      plainReading,
    );
  const lookup = { jid: "5511987654321@s.whatsapp.net", exists: false, number };
  assertEquals(refuse(400, [lookup]), {
    outcome: "rejected",
    code: "number_not_on_whatsapp",
    message: "The number is not on WhatsApp.",
    retryable: false,
    scope: "message",
  });
  assertEquals(refuse(500, [lookup]), { outcome: "unknown", reason: "http_500" });
  for (const message of [[{ ...lookup, exists: true }], ["exists: false"], "exists: false"]) {
    const receipt = refuse(400, message);
    assertEquals(receipt.outcome === "rejected" && receipt.code, "http_400");
  }
});

Deno.test("Evolution: a refusal holds its error text, in every form of the answer", () => {
  const words = (message: unknown): unknown => {
    const json = { status: 400, error: "Bad Request", response: { message } };
    const receipt = readEvolutionAnswer(jsonAnswer(400, json), plainReading);
    return receipt.outcome === "rejected" && receipt.message;
  };
  assertEquals(
    words(["number is required", "text is required"]),
    "Bad Request: number is required; text is required",
  );
  assertEquals(words([["deep"]]), "Bad Request: deep");
  assertEquals(words("one"), "Bad Request: one");
  assertEquals(words(undefined), "Bad Request");
  assertEquals(words([{ secret: "object" }]), "Bad Request");
  assertEquals(readEvolutionAnswer(jsonAnswer(401, { error: "Unauthorized" }), plainReading), {
    outcome: "rejected",
    code: "http_401",
    message: "Unauthorized",
    retryable: false,
    scope: "instance",
  });
  assertEquals(readEvolutionAnswer(textAnswer(502, "<html>"), plainReading), {
    outcome: "unknown",
    reason: "http_502",
  });
});

Deno.test("Evolution: a document's name always has an extension, which determines its type", () => {
  const name = (mediaUrl: string, mediaFilename?: string): unknown =>
    convert({ messageType: "document", mediaUrl, mediaFilename }).body["fileName"];
  const bare = "https://files.example.com/download";
  assertEquals(name("https://files.example.com/a1.pdf", "Contrato"), "Contrato.pdf");
  assertEquals(name("https://files.example.com/a1.png", "Planta v1.2"), "Planta v1.2.png");
  assertEquals(name(bare, "Contrato.docx"), "Contrato.docx");
  assertEquals(name("https://files.example.com/a1.pdf"), "a1.pdf");
  assertEquals([name(bare, "Contrato"), name(bare)], ["Contrato.pdf", "document.pdf"]);
});

Deno.test("Evolution: Meta's bare error under 201 is classified by Meta's own table", () => {
  const read = (error: Record<string, unknown>): unknown => {
    const receipt = readEvolutionAnswer(jsonAnswer(201, error), plainReading);
    if (receipt.outcome !== "rejected") return receipt;
    return [receipt.code, receipt.message, receipt.retryable, receipt.scope];
  };
  const base = { type: "OAuthException", fbtrace_id: "AbC" };
  assertEquals(
    read({
      ...base,
      code: 131047,
      message: "(#131047) Re-engagement message",
      error_data: { messaging_product: "whatsapp", details: "More than 24 hours have passed" },
    }),
    [
      "131047",
      "Re-engagement message: More than 24 hours have passed (fbtrace_id AbC)",
      false,
      "message",
    ],
  );
  assertEquals((read({ ...base, code: 130429, message: "Rate limit" }) as unknown[]).slice(2), [
    true,
    "instance",
  ]);
  assertEquals((read({ ...base, code: 190, message: "Expired" }) as unknown[]).slice(2), [
    false,
    "instance",
  ]);
});
