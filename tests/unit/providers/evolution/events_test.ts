import { assertEquals } from "../../../support/assert.ts";
import { evolutionEvent, evolutionMessage, readEvent, readEvents } from "../event_payloads.ts";

const lid = "103899771998284@lid";
const group = "120363019502650977@g.us";

function readUpsert(data: unknown): Record<string, unknown> | undefined {
  return readEvent("evolution", evolutionEvent("messages.upsert", data));
}

Deno.test("an Evolution text is an inbound message, in either spelling, alone or in a list", () => {
  const data = evolutionMessage({ conversation: "Oi" });
  const event = {
    kind: "message",
    origin: "inbound",
    providerMessageId: "3EB0EVO",
    address: "5511987654321",
    otherAddresses: [],
    contactName: "Ana",
    messageType: "text",
    message: "Oi",
    sentAt: "2024-06-06T15:51:37.000Z",
    isGroup: false,
  };
  for (const name of ["messages.upsert", "MESSAGES_UPSERT", "messages-upsert"]) {
    assertEquals(readEvents("evolution", evolutionEvent(name, data)), [event]);
    assertEquals(readEvents("evolution", evolutionEvent(name, [data, null, 7, data])), [
      event,
      event,
    ]);
  }
});

Deno.test("each kind of Evolution content becomes its message type", () => {
  const encrypted = { url: "https://mmg.whatsapp.net/x.enc", mimetype: "image/jpeg" };
  const mediaUrl = "https://minio.example.com/loja/a.jpg";
  const quickReply = (paramsJson: unknown, text?: string): Record<string, unknown> => ({
    interactiveResponseMessage: {
      body: { text },
      nativeFlowResponseMessage: { name: "quick_reply", paramsJson, version: 3 },
    },
  });
  const quickReplies: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      quickReply('{"id":"opt_7","display_text":"Sim"}', "Sim, claro"),
      {
        messageType: "choice",
        message: "Sim, claro",
        choice: { id: "opt_7", title: "Sim, claro" },
      },
    ],
    [
      quickReply('{"id":"opt_7"}'),
      { messageType: "choice", message: "opt_7", choice: { id: "opt_7", title: "opt_7" } },
    ],
    ...['{"id":', "[]", "null", '{"id":7}', "", 7, null].map((
      params,
    ): [Record<string, unknown>, Record<string, unknown>] => [
      quickReply(params, "Sim"),
      { messageType: "text", message: "Sim" },
    ]),
  ];
  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [{ extendedTextMessage: { text: "Veja" } }, { messageType: "text", message: "Veja" }],
    [
      { imageMessage: { ...encrypted, caption: "Foto" }, base64: "AAAA" },
      { messageType: "image", message: "Foto" },
    ],
    [{ imageMessage: encrypted, mediaUrl }, { messageType: "image", mediaUrl }],
    [{ imageMessage: encrypted, mediaUrl: "s3://loja/a" }, { messageType: "image" }],
    [{ audioMessage: encrypted, mediaUrl }, { messageType: "audio", mediaUrl }],
    [{ videoMessage: encrypted }, { messageType: "video" }],
    [{ stickerMessage: encrypted }, { messageType: "sticker" }],
    [
      {
        documentWithCaptionMessage: {
          message: { documentMessage: { ...encrypted, fileName: "a.pdf", caption: "Nota" } },
        },
        mediaUrl,
      },
      { messageType: "document", message: "Nota", mediaUrl, mediaFilename: "a.pdf" },
    ],
    [
      {
        ephemeralMessage: { message: { viewOnceMessageV2: { message: { conversation: "psiu" } } } },
      },
      { messageType: "text", message: "psiu" },
    ],
    [
      { listResponseMessage: { title: "Sim", singleSelectReply: { selectedRowId: "yes" } } },
      { messageType: "option_list", message: "Sim", choice: { id: "yes", title: "Sim" } },
    ],
    [
      { buttonsResponseMessage: { selectedButtonId: "b1", selectedDisplayText: "Sim" } },
      { messageType: "choice", message: "Sim", choice: { id: "b1", title: "Sim" } },
    ],
    [
      { templateButtonReplyMessage: { selectedId: "t1", selectedDisplayText: "Sim" } },
      { messageType: "choice", message: "Sim", choice: { id: "t1", title: "Sim" } },
    ],
    ...quickReplies,
    [
      { locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6, name: "Café" } },
      { messageType: "location", message: "[location] Café, -23.5 -46.6" },
    ],
    [{ contactMessage: { displayName: "Bia" } }, {
      messageType: "contacts",
      message: "[contact] Bia",
    }],
    [
      { reactionMessage: { text: "👍" } },
      { message: "[reaction] 👍", emoji: "👍" },
    ],
    [{ pollCreationMessageV3: { name: "?" } }, { messageType: "poll", message: "[poll] ?" }],
    [
      { pollUpdateMessage: { pollCreationMessageKey: { id: "3EB0" }, vote: { encPayload: "x" } } },
      { messageType: "poll_vote", message: "[poll vote]" },
    ],
  ];
  for (const [message, expected] of cases) {
    const event = readUpsert(evolutionMessage(message)) ?? {};
    const { messageType, message: text, mediaUrl, mediaFilename, choice, emoji } = event;
    assertEquals(
      JSON.parse(
        JSON.stringify({ messageType, message: text, mediaUrl, mediaFilename, choice, emoji }),
      ),
      expected,
    );
  }
});

Deno.test("an edit gives its new text, the contact's and ours", () => {
  const protocolMessage = {
    key: { remoteJid: "5511987654321@s.whatsapp.net", fromMe: false, id: "3EB0OLD" },
    type: "MESSAGE_EDIT",
    editedMessage: { conversation: "às 11h" },
  };
  for (
    const message of [{ protocolMessage }, { editedMessage: { message: { protocolMessage } } }]
  ) {
    for (const fromMe of [false, true]) {
      const event = readUpsert(evolutionMessage(message, {}, { fromMe }));
      assertEquals([event?.["messageType"], event?.["message"]], ["text", "às 11h"]);
    }
  }
});

Deno.test("deletions of no message, edits without text, keys, removed reactions and stories give no message", () => {
  for (
    const message of [
      { protocolMessage: { type: "REVOKE" } },
      { editedMessage: { message: { protocolMessage: { type: "MESSAGE_EDIT" } } } },
      { protocolMessage: { type: "MESSAGE_EDIT", editedMessage: {} } },
      { senderKeyDistributionMessage: { groupId: group } },
      { messageContextInfo: {} },
      { reactionMessage: { text: "" } },
      null,
    ]
  ) {
    assertEquals(readUpsert(evolutionMessage(message)), undefined);
  }
  const text = { conversation: "a" };
  const pn = { senderPn: "5511987654321@s.whatsapp.net" };
  for (const remoteJid of ["status@broadcast", "120363@newsletter", "0@s.whatsapp.net"]) {
    const key = remoteJid.startsWith("0@") ? { remoteJid } : { remoteJid, ...pn };
    assertEquals(readUpsert(evolutionMessage(text, {}, key)), undefined);
  }
});

Deno.test("a message deleted for everyone is known by its id, however Evolution tells", () => {
  const key = { remoteJid: "5511987654321@s.whatsapp.net", fromMe: false, id: "3EB0OLD" };
  const deletion = { kind: "message_deletion", providerMessageId: "3EB0OLD" };
  const told: [string, unknown][] = [
    ["messages.delete", { ...key, status: "DELETED" }],
    ["MESSAGES_DELETE", { id: "an id of Evolution's own", key, status: "DELETED" }],
    ["messages.delete", [key]],
  ];
  for (const type of ["REVOKE", 0]) {
    const protocolMessage = { key, type };
    told.push(["messages.edited", protocolMessage], ["MESSAGES_EDITED", [protocolMessage]]);
    for (
      const message of [{ protocolMessage }, {
        ephemeralMessage: { message: { protocolMessage } },
      }]
    ) {
      told.push(["messages.upsert", evolutionMessage(message)]);
      told.push(["messages.upsert", evolutionMessage(message, {}, { fromMe: true })]);
    }
  }
  for (const [event, data] of told) {
    assertEquals(readEvents("evolution", evolutionEvent(event, data)), [deletion]);
  }
  for (const data of [null, {}, { keys: [key] }, { id: "" }, "3EB0OLD"]) {
    assertEquals(readEvents("evolution", evolutionEvent("messages.delete", data)), []);
  }
});

Deno.test("phone and hidden identity of a chat come as a pair, the phone first", () => {
  const text = { conversation: "a" };
  const phone = "5511987654321:12@s.whatsapp.net";
  for (
    const key of [
      { remoteJid: lid, remoteJidAlt: phone, addressingMode: "lid" },
      { remoteJid: phone, remoteJidAlt: lid },
      { remoteJid: lid, senderPn: phone },
      { remoteJid: phone, senderLid: lid },
    ]
  ) {
    const event = readUpsert(evolutionMessage(text, {}, key));
    assertEquals([event?.["address"], event?.["otherAddresses"]], ["5511987654321", [lid]]);
  }
  assertEquals(readUpsert(evolutionMessage(text, {}, { remoteJid: lid }))?.["address"], lid);
});

Deno.test("an Evolution message typed on the phone is an echo to the chat, never to our own number", () => {
  const own = "5511900000000@s.whatsapp.net";
  const key = {
    fromMe: true,
    remoteJid: lid,
    remoteJidAlt: own,
    senderPn: own,
    senderLid: "9@lid",
  };
  const event = readUpsert(evolutionMessage({ conversation: "a" }, { pushName: "Loja" }, key));
  assertEquals(event?.["origin"], "echo");
  assertEquals([event?.["address"], event?.["otherAddresses"]], [lid, []]);
  assertEquals(event?.["contactName"], undefined);
});

Deno.test("an Evolution group message belongs to the group and names its author", () => {
  const key = {
    remoteJid: group,
    participant: lid,
    participantAlt: "5511987654321@s.whatsapp.net",
  };
  const event = readUpsert(evolutionMessage({ conversation: "Oi" }, {}, key));
  assertEquals([event?.["address"], event?.["otherAddresses"]], [group, []]);
  assertEquals(event?.["isGroup"], true);
  assertEquals(event?.["message"], "Ana: Oi");
  assertEquals(event?.["contactName"], undefined);
  const nameless = readUpsert(evolutionMessage({ conversation: "Oi" }, { pushName: "" }, key));
  assertEquals(nameless?.["message"], "5511987654321: Oi");
});

Deno.test("an Evolution message sent through the API gives a sent status of ours, no message", () => {
  const data = evolutionMessage({ conversation: "a" }, { status: "PENDING" }, { fromMe: true });
  for (const name of ["send.message", "SEND_MESSAGE"]) {
    assertEquals(readEvents("evolution", evolutionEvent(name, data)), [{
      kind: "status",
      providerMessageId: "3EB0EVO",
      status: "sent",
      at: "2024-06-06T15:51:37.000Z",
      sent: {
        address: "5511987654321",
        otherAddresses: [],
        messageType: "text",
        message: "a",
      },
    }]);
  }
});

Deno.test("Evolution's updates identify a message by its id, alone or in a list, and ignore fromMe", () => {
  const update = (status: string, members: Record<string, unknown> = {}): unknown => ({
    keyId: "3EB0",
    remoteJid: "5511987654321@s.whatsapp.net",
    fromMe: true,
    participant: "",
    status,
    instanceId: "bae4",
    messageId: "cmfyoow42000hov4xwkdug3lv",
    ...members,
  });
  const words = ["ERROR", "SERVER_ACK", "DELIVERY_ACK", "READ", "PLAYED"];
  const metaWords = ["SENT", "DELIVERED", "FAILED"];
  const statuses = ["failed", "sent", "delivered", "read", "read", "sent", "delivered", "failed"];
  const events = readEvents(
    "evolution",
    evolutionEvent("messages.update", [
      null,
      ...[...words, ...metaWords].map((word) => update(word)),
    ]),
  );
  assertEquals(events.map(({ status }) => status), statuses);
  assertEquals(
    new Set(events.map(({ providerMessageId }) => providerMessageId)),
    new Set(["3EB0"]),
  );
  assertEquals(events[0]?.["error"], {
    code: "ERROR",
    message: "WhatsApp did not accept the message.",
  });
  const one = evolutionEvent("MESSAGES_UPDATE", update("READ"));
  assertEquals(readEvents("evolution", one), [
    { kind: "status", providerMessageId: "3EB0", status: "read" },
  ]);
  // The Cloud API channel sends `fromMe: false` for our messages: the id identifies them.
  const cloud = update("DELIVERED", { keyId: "wamid.HBgN", fromMe: false, participant: "5511" });
  assertEquals(readEvents("evolution", evolutionEvent("messages.update", cloud)), [
    { kind: "status", providerMessageId: "wamid.HBgN", status: "delivered" },
  ]);
  for (
    const data of [
      update("PENDING"),
      update("DELETED"),
      update("constructor"),
      update("READ", { keyId: undefined }),
    ]
  ) {
    assertEquals(readEvents("evolution", evolutionEvent("messages.update", data)), []);
  }
});

Deno.test("Baileys' own updates change the status of our messages by number", () => {
  const update = (status: unknown, fromMe = true): unknown => ({
    key: { remoteJid: "5511987654321@s.whatsapp.net", fromMe, id: "3EB0" },
    update: { status },
  });
  const read = (data: unknown): unknown =>
    readEvent("evolution", evolutionEvent("messages.update", data))?.["status"];
  assertEquals([0, 1, 2, 3, 4, 5].map((number) => read(update(number))), [
    "failed",
    undefined,
    "sent",
    "delivered",
    "read",
    "read",
  ]);
  for (const status of [-1, 6, 1.5, "4", "length", null, {}]) {
    assertEquals(read(update(status)), undefined);
  }
  assertEquals(read(update(4, false)), "read");
  const refused = (messageStubParameters: unknown): unknown => {
    const data = {
      key: { id: "3EB0", fromMe: true },
      update: { status: 0, messageStubParameters },
    };
    return readEvent("evolution", evolutionEvent("messages.update", data))?.["error"];
  };
  const message = "WhatsApp did not accept the message.";
  const locked = { code: "new_chat_locked", meaning: "new_chat_locked", message };
  assertEquals(refused(["463"]), locked);
  assertEquals(refused(["463", "Your account has been restricted"]), locked);
  assertEquals(refused(["479"]), { code: "479", message });
  for (const unknown of [undefined, [], [null], "463", ["4630"]]) {
    assertEquals(refused(unknown), { code: "ERROR", message });
  }
});

Deno.test("other Evolution events and those of another instance give no event", () => {
  const data = evolutionMessage({ conversation: "a" });
  for (const name of ["messages.set", "connection.update", "contacts.upsert", ""]) {
    assertEquals(readEvents("evolution", evolutionEvent(name, data)), []);
  }
  const payload = evolutionEvent("messages.upsert", data);
  assertEquals(readEvents("evolution", payload, "loja").length, 1);
  assertEquals(readEvents("evolution", payload, "outra").length, 0);
});

Deno.test("the credential inside an Evolution webhook reaches no event", () => {
  const payload = evolutionEvent("messages.upsert", evolutionMessage({ conversation: "a" }));
  assertEquals(JSON.stringify(readEvents("evolution", payload)).includes("never-to-be"), false);
});

Deno.test("a menu of another business, an invitation and an unknown kind of Evolution message are shown by their text", () => {
  const cases: [Record<string, unknown>, string][] = [
    [
      {
        templateMessage: {
          hydratedTemplate: {
            hydratedTitleText: "Oferta",
            hydratedContentText: "Só hoje",
            hydratedButtons: [{ urlButton: { displayText: "Ver", url: "https://x.example" } }],
          },
        },
      },
      "[menu] Oferta, Só hoje, Ver https://x.example/",
    ],
    [
      {
        buttonsMessage: {
          contentText: "Confirma?",
          buttons: [{ buttonId: "1", buttonText: { displayText: "Sim" }, type: 1 }],
        },
      },
      "[menu] Confirma?, Sim",
    ],
    [
      {
        listMessage: {
          title: "Menu",
          description: "Escolha",
          buttonText: "Abrir",
          sections: [{ title: "A", rows: [{ title: "Um", rowId: "1" }] }],
        },
      },
      "[menu] Menu, Escolha, Um",
    ],
    [{ interactiveMessage: { body: { text: "Pague aqui" } } }, "[menu] Pague aqui"],
    [
      { groupInviteMessage: { groupName: "Clientes", inviteCode: "x", caption: "Entre" } },
      "[group invitation] Clientes, Entre",
    ],
    [{ brandNewMessageV9: { x: 1 }, messageContextInfo: {} }, "[other]"],
  ];
  for (const [message, expected] of cases) {
    const event = readUpsert(evolutionMessage(message));
    assertEquals([event?.["messageType"], event?.["message"]], ["other", expected]);
  }
});

Deno.test("an Evolution edit identifies the message by its key's id alone and ignores its author", () => {
  const edit = (editedMessage: unknown): unknown =>
    evolutionEvent("messages.edited", {
      key: { remoteJid: "5511900000000@s.whatsapp.net", fromMe: true, id: "3EB0OLD" },
      type: "MESSAGE_EDIT",
      editedMessage,
      timestampMs: "1717689097000",
    });
  const expected = [{
    kind: "message_edit",
    providerMessageId: "3EB0OLD",
    message: "às 11h",
  }];
  for (
    const words of [
      { conversation: "às 11h" },
      { extendedTextMessage: { text: "às 11h" } },
      { imageMessage: { caption: "às 11h" } },
      { message: { conversation: "às 11h" } },
    ]
  ) {
    assertEquals(readEvents("evolution", edit(words)), expected);
  }
  for (const none of [undefined, null, {}, { imageMessage: {} }, "x"]) {
    assertEquals(readEvents("evolution", edit(none)), []);
  }
  const data = { key: { id: "3EB0OLD" }, editedMessage: { conversation: "às 11h" } };
  assertEquals(readEvents("evolution", evolutionEvent("MESSAGES_EDITED", data)), expected);
});

Deno.test("an Evolution message names the message that it answers, beside it or inside", () => {
  const quoted = (message: unknown, members: Record<string, unknown> = {}): unknown =>
    readUpsert(evolutionMessage(message, members))?.["quotedProviderMessageId"];
  const contextInfo = { stanzaId: "3EB0Q", quotedMessage: { conversation: "Quer?" } };
  const text = { text: "Sim", contextInfo };
  assertEquals(quoted({ conversation: "Sim" }, { contextInfo }), "3EB0Q");
  assertEquals(quoted({ extendedTextMessage: text }), "3EB0Q");
  assertEquals(quoted({ messageContextInfo: {}, imageMessage: { contextInfo } }), "3EB0Q");
  assertEquals(
    quoted({ ephemeralMessage: { message: { extendedTextMessage: text } } }, { contextInfo: null }),
    "3EB0Q",
  );
  assertEquals(quoted({ conversation: "Sim" }), undefined);
  assertEquals(quoted({ conversation: "Sim" }, { contextInfo: { expiration: 86_400 } }), undefined);
});
