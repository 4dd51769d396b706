import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import {
  cloudChange,
  cloudMessage,
  evolutionEvent,
  evolutionMessage,
  readEvents,
  zapiMessage,
} from "./event_payloads.ts";

type Json = Record<string, unknown>;

const edit = (members: Json = {}): Json => ({
  id: "wamid.NOTICE",
  type: "edit",
  edit: {
    original_message_id: "wamid.FIRST",
    message: { type: "text", text: { body: "às 11h" }, ...members },
  },
});

/** Each edit, as its provider tells it, and the side that made it. */
const edits: readonly (readonly [string, ProviderKind, Json, "inbound" | "echo"])[] = [
  ["official, of theirs", "whatsapp_cloud", cloudMessage(edit()), "inbound"],
  [
    "official, of ours",
    "whatsapp_cloud",
    cloudChange({
      message_echoes: [{ ...edit(), from: "551140001234", to: "5511987654321" }],
    }, "smb_message_echoes"),
    "echo",
  ],
  [
    "Z-API, of theirs",
    "zapi",
    zapiMessage({ messageId: "wamid.FIRST", isEdit: true, text: { message: "às 11h" } }),
    "inbound",
  ],
  ...[true, false].map((fromApi) =>
    [
      `Z-API, of ours, fromApi ${fromApi}`,
      "zapi",
      zapiMessage({
        ...{ messageId: "wamid.FIRST", isEdit: true, fromMe: true, fromApi },
        text: { message: "às 11h" },
      }),
      "echo",
    ] as const
  ),
  ...[false, true].flatMap((fromMe) => {
    const protocolMessage = {
      key: { remoteJid: "551140001234@s.whatsapp.net", fromMe: true, id: "wamid.FIRST" },
      type: "MESSAGE_EDIT",
      editedMessage: { conversation: "às 11h" },
    };
    return [
      { protocolMessage },
      { editedMessage: { message: { protocolMessage } } },
      { ephemeralMessage: { message: { protocolMessage } } },
    ].map((message) =>
      [
        `Evolution, ${Object.keys(message)}, fromMe ${fromMe}`,
        "evolution",
        evolutionEvent("messages.upsert", evolutionMessage(message, {}, { fromMe })),
        fromMe ? "echo" : "inbound",
      ] as const
    );
  }),
];

for (const [name, kind, payload, origin] of edits) {
  Deno.test(`an edit is of the first message, with all that storing it takes: ${name}`, () => {
    const [event, ...others] = readEvents(kind, payload);
    assertEquals(others, []);
    assertEquals(
      [event?.["kind"], event?.["origin"], event?.["isEdit"], event?.["providerMessageId"]],
      ["message", origin, true, "wamid.FIRST"],
    );
    assertEquals(
      [event?.["address"], event?.["messageType"], event?.["message"]],
      ["5511987654321", "text", "às 11h"],
    );
  });
}

Deno.test("an edit of a caption holds the file and the new words", () => {
  const image = { type: "image", text: undefined, image: { id: "M1", caption: "azul" } };
  const [event] = readEvents("whatsapp_cloud", cloudMessage(edit(image)));
  assertEquals([event?.["messageType"], event?.["message"]], ["image", "azul"]);
  assertEquals([event?.["isEdit"], event?.["mediaId"]], [true, "M1"]);
});

Deno.test("Evolution's own edit events are read by the id alone where they do not show the contact", () => {
  const data = (key: Json): Json => ({
    key: { id: "EVO1", ...key },
    type: "MESSAGE_EDIT",
    editedMessage: { conversation: "às 11h" },
  });
  const byIdAlone = [{ kind: "message_edit", providerMessageId: "EVO1", message: "às 11h" }];
  // As the contact's phone sees it: our number, marked as its own message.
  const theirs = data({ remoteJid: "5511900000000@s.whatsapp.net", fromMe: true });
  assertEquals(readEvents("evolution", evolutionEvent("messages.edited", theirs)), byIdAlone);
  const hidden = data({ remoteJid: "81896604192873@lid", fromMe: true });
  assertEquals(readEvents("evolution", evolutionEvent("messages.edited", hidden)), byIdAlone);
  const ours = data({ remoteJid: "5511987654321@s.whatsapp.net", fromMe: true });
  for (const name of ["messages.edited", "send.message.update"]) {
    const [event] = readEvents("evolution", evolutionEvent(name, ours));
    assertEquals(
      [event?.["kind"], event?.["origin"], event?.["isEdit"], event?.["address"]],
      ["message", "echo", true, "5511987654321"],
    );
  }
});

Deno.test("an edit that shows no words is no message", () => {
  const location = { type: "location", text: undefined, location: { latitude: 1, longitude: 2 } };
  assertEquals(readEvents("whatsapp_cloud", cloudMessage(edit(location))), []);
  assertEquals(readEvents("whatsapp_cloud", cloudMessage({ type: "edit", edit: {} })), []);
});
