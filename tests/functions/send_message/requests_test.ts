import type { OfEachSendable } from "../../support/fixtures/one_of_each_type.ts";
import { demoOperatorEmail } from "../../../shared/openapi/demo_fixtures.ts";
import { assertEquals } from "../../support/assert.ts";
import { driveRequestTable } from "../contract/request_table.ts";
import { metadataRow, optionalRow, targetRows } from "../contract/request_rows.ts";
import { demoTarget, type Service, startService } from "../contract/service.ts";

const v1 = "/functions/v1";

// Specification 4.4, send-message.
Deno.test("send-message takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  const cdn = "https://cdn.example.com";
  const list = { title: "Menu", buttonLabel: "Abrir", options: [{ id: "a", title: "Um" }] };
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/send-message`,
    least: { messageType: "text", message: "Olá" },
    rows: [
      ...targetRows,
      {
        field: "messageType",
        type: "string",
        required: "conditional",
        value: "text",
        refused: ["poll", "Text", ""],
      },
      {
        field: "message",
        type: "string",
        required: "conditional",
        value: "Olá",
        refused: ["", " \n"],
      },
      {
        field: "mediaUrl",
        type: "string",
        required: "conditional",
        value: `${cdn}/photo.jpg`,
        beside: { messageType: "image" },
        refused: ["http://cdn.example.com/photo.jpg", "https://10.0.0.1/photo.jpg", `${cdn}/a.exe`],
      },
      {
        ...optionalRow("mediaFilename", "string", "nota.pdf"),
        beside: { messageType: "document", mediaUrl: `${cdn}/nota.pdf` },
      },
      {
        field: "optionList",
        type: "object",
        required: "conditional",
        value: list,
        beside: { messageType: "option_list" },
        refused: [
          { ...list, title: undefined },
          { ...list, buttonLabel: 5 },
          { ...list, options: [] },
          { ...list, options: [{ id: "a" }] },
        ],
      },
      optionalRow("cardId", "string", "card-1"),
      metadataRow,
      { ...optionalRow("delayMessage", "number", 5), refused: [-1, 86_401] },
      { ...optionalRow("delayTyping", "number", 1_500), refused: [-1, 60_001] },
      optionalRow("assignTo", "string", demoOperatorEmail),
      { ...optionalRow("portfolio", "boolean", true), beside: { assignTo: demoOperatorEmail } },
      optionalRow("queued", "boolean", true),
      {
        ...optionalRow("intervalSeconds", "number", 10),
        beside: { queued: true },
        refused: [9, 3_601, 3_600.5],
      },
      optionalRow("sentBy", "string", "campaign-robot"),
    ],
  });
});

// Specification 4.4.
Deno.test("messageType and the field of its content are required by what is sent", async () => {
  await using service = await startService();
  const needed: OfEachSendable<readonly string[]> = {
    text: ["message"],
    image: ["mediaUrl"],
    video: ["mediaUrl"],
    audio: ["mediaUrl"],
    document: ["mediaUrl"],
    option_list: ["message", "optionList"],
    sticker: ["mediaUrl"],
    voice: ["mediaUrl"],
    location: ["location"],
    contacts: ["contacts"],
    buttons: ["buttons", "message"],
    link_button: ["linkButton", "message"],
    location_request: ["message"],
    contact_request: ["message"],
    payment_request: ["message", "payment"],
    reaction: ["reaction"],
  };
  for (const [messageType, fields] of Object.entries(needed)) {
    // Content of another type, so that there is something to send.
    const other = fields.includes("mediaUrl")
      ? { message: "x" }
      : { mediaUrl: "https://a.example/x" };
    const paths = await listFaults(service, { ...demoTarget, messageType, ...other });
    for (const field of fields) {
      assertEquals(paths.includes(field), true, `${messageType} ${field}`);
    }
  }
  assertEquals(await listFaults(service, { ...demoTarget, message: "x" }), ["messageType"]);
});

async function listFaults(service: Service, members: Record<string, unknown>): Promise<string[]> {
  const { status, body } = await service.call("POST", `${v1}/send-message`, members);
  assertEquals([status, body.error], [400, "invalid_request"]);
  return body.issues.map(({ path }: { path: string }) => path);
}
