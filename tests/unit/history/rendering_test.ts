import type { HistoryMessage } from "../../../shared/database/rpcs/history.ts";
import { nameSender, renderContent } from "../../../shared/history/rendering.ts";
import { assertEquals } from "../../support/assert.ts";
import { createHistoryMessage } from "../../support/fixtures/history_message.ts";

const url = "https://cdn.example.com/a/invoice.pdf";

/** With and without attachments. */
function renderBoth(part: Partial<HistoryMessage>): [string, string] {
  const message = createHistoryMessage(part);
  return [renderContent(message, true), renderContent(message, false)];
}

Deno.test("a text reads as it is, line breaks and all", () => {
  const message = "  Olá!\n\nhttps://example.com 👋 ";
  assertEquals(renderBoth({ message }), [message, message]);
});

Deno.test("media reads as its caption, then its URL or its type on a line of its own", () => {
  for (const messageType of ["image", "document", "video"]) {
    assertEquals(
      renderBoth({ messageType, message: "Segue o boleto", content: { mediaUrl: url } }),
      [
        `Segue o boleto\n${url}`,
        `Segue o boleto\n[${messageType}]`,
      ],
    );
  }
});

Deno.test("media without a caption reads as its URL, or as its type where URLs are hidden", () => {
  for (const messageType of ["image", "audio", "document", "video", "sticker"]) {
    for (const message of [null, ""]) {
      assertEquals(renderBoth({ messageType, message, content: { mediaUrl: url } }), [
        url,
        `[${messageType}]`,
      ]);
    }
  }
});

Deno.test("media whose address is not known reads as its type", () => {
  assertEquals(renderBoth({ messageType: "audio" }), ["[audio]", "[audio]"]);
  const captioned = "Veja\n[image]";
  assertEquals(renderBoth({ messageType: "image", message: "Veja" }), [captioned, captioned]);
});

Deno.test("an option list reads as its body and its options", () => {
  const optionList = {
    title: "Horários",
    buttonLabel: "Ver",
    options: [
      { id: "1", title: "Manhã", description: "8h às 12h" },
      { id: "2", title: "Tarde" },
      { id: "3", title: "Noite", description: "" },
    ],
  };
  const text = "Quando?\n- Manhã: 8h às 12h\n- Tarde\n- Noite";
  assertEquals(
    renderBoth({ messageType: "option_list", message: "Quando?", content: { optionList } }),
    [
      text,
      text,
    ],
  );
});

Deno.test("a choice reads as the chosen title", () => {
  const choice = { id: "2", title: "Tarde" };
  for (const message of [null, "2", "Tarde"]) {
    assertEquals(renderBoth({ direction: "inbound", message, content: { choice } }), [
      "Tarde",
      "Tarde",
    ]);
  }
});

Deno.test("a template reads as its rendered text, then the file of its header", () => {
  const template = {
    name: "boleto",
    language: "pt_BR",
    components: [{ type: "header", parameters: [{ type: "document", document: { link: url } }] }],
  };
  const message = "Olá, Ana: seu boleto.";
  assertEquals(renderBoth({ messageType: "template", message, content: { template } }), [
    `${message}\n${url}`,
    `${message}\n[document]`,
  ]);
});

Deno.test("a message without text reads as its type", () => {
  for (const messageType of ["location", "template", "text"]) {
    const named = `[${messageType}]`;
    assertEquals(renderBoth({ messageType }), [named, named]);
  }
});

Deno.test("the sender of a received message is the contact's name, else its phone", () => {
  const message = createHistoryMessage({ direction: "inbound", status: "received" });
  const phone = "5511999990000";
  assertEquals(nameSender(message, { name: "Ana", phone }, "Loja"), "Ana");
  assertEquals(nameSender(message, { name: null, phone }, "Loja"), phone);
  assertEquals(nameSender(message, { name: "", phone }, "Loja"), phone);
});

Deno.test("the sender of a sent message is the operator, else the agent, else the instance", () => {
  const contact = { name: "Ana", phone: "5511999990000" };
  const name = (part: Partial<HistoryMessage>): string =>
    nameSender(createHistoryMessage(part), contact, "Loja");
  assertEquals(name({ operatorName: "Rui", agentName: "Bia" }), "Rui");
  assertEquals(name({ agentName: "Bia" }), "Bia");
  assertEquals(name({ sentBy: "ai_agent" }), "Loja");
});
