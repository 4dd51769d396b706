import { readMimeType, readSha256 } from "../../../shared/providers/webhooks/received_file.ts";
import { readEvolutionEvents } from "../../../shared/providers/evolution/events.ts";
import { readZapiEvents } from "../../../shared/providers/zapi/events.ts";
import { assertEquals } from "../../support/assert.ts";

const bytes = Array.from({ length: 32 }, (_, place) => place * 8);
const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

Deno.test("a SHA-256 is read in every form that providers write, and nothing else is", () => {
  const base64 = btoa(String.fromCharCode(...bytes));
  const asObject = Object.fromEntries(Object.entries(bytes));
  for (const value of [hex, hex.toUpperCase(), base64, base64.slice(0, -1), bytes, asObject]) {
    assertEquals(readSha256({ value }, "value"), hex, JSON.stringify(value));
  }
  for (
    const value of [
      "",
      "S=",
      hex.slice(1),
      `${hex}0`,
      bytes.slice(1),
      [...bytes.slice(1), 256],
      {},
      7,
    ]
  ) {
    assertEquals(readSha256({ value }, "value"), undefined, JSON.stringify(value));
  }
});

Deno.test("a MIME type is read without its parameters", () => {
  assertEquals(readMimeType({ type: "Audio/OGG; codecs=opus" }, "type"), "audio/ogg");
  for (const type of ["", "image", "image/", "a b/c", "image/<x>", 7]) {
    assertEquals(readMimeType({ type }, "type"), undefined, String(type));
  }
});

Deno.test("a gateway's event says where its file is and what it is", () => {
  const url = "https://cdn.example.com/a.pdf";
  const [zapi] = readZapiEvents({
    type: "ReceivedCallback",
    messageId: "M1",
    phone: "5511988887777",
    document: { documentUrl: url, mimeType: "application/pdf", fileName: "a.pdf" },
  });
  const described = { mimeType: "application/pdf", filename: "a.pdf" };
  assertEquals(zapi?.kind === "message" ? zapi.file : null, { source: { url }, ...described });
  const upsert = (part: object): unknown => {
    const [event] = readEvolutionEvents({
      event: "messages.upsert",
      data: {
        key: { remoteJid: "5511988887777@s.whatsapp.net", fromMe: false, id: "M1" },
        message: {
          documentMessage: { mimetype: "application/pdf", fileName: "a.pdf", fileSha256: bytes },
          ...part,
        },
      },
    });
    return event?.kind === "message" ? event.file : null;
  };
  const told = { ...described, sha256: hex, transcript: undefined };
  const source = { id: "M1", url: undefined, embedded: undefined };
  assertEquals(upsert({}), { source, ...told });
  assertEquals(upsert({ mediaUrl: url }), { source: { ...source, url }, ...told });
  // Only the tokens that the function has put there: see `parseDelivery`.
  for (const base64 of ["staged:0", "inline:12"]) {
    assertEquals(upsert({ base64 }), { source: { ...source, embedded: base64 }, ...told });
  }
  assertEquals(upsert({ base64: "AAAA" }), { source, ...told });
});
