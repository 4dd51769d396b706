import { assertEquals } from "../../../support/assert.ts";
import { readEvent, readEvents, zapiMessage } from "../event_payloads.ts";

const group = "120363019502650977-group";

Deno.test("a Z-API text is an inbound message with its author, text and time", () => {
  assertEquals(readEvents("zapi", zapiMessage({ text: { message: "teste" } })), [{
    kind: "message",
    origin: "inbound",
    providerMessageId: "3EB0ZAPI",
    address: "5511987654321",
    otherAddresses: ["81896604192873@lid"],
    contactName: "Ana",
    messageType: "text",
    message: "teste",
    sentAt: "2021-09-21T12:50:38.000Z",
    isGroup: false,
    chatName: "Ana do trabalho",
  }]);
});

Deno.test("each kind of Z-API content becomes its message type", () => {
  const url = "https://f004.backblazeb2.com/file/temp-file-download/a";
  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      { image: { imageUrl: url, caption: "Foto", mimeType: "image/jpeg" } },
      { messageType: "image", message: "Foto", mediaUrl: url },
    ],
    [{ image: { imageUrl: url, caption: "" } }, { messageType: "image", mediaUrl: url }],
    [{ image: { imageUrl: "javascript:alert(1)" } }, { messageType: "image" }],
    [{ sticker: { stickerUrl: url } }, { messageType: "sticker", mediaUrl: url }],
    [{ audio: { audioUrl: url } }, { messageType: "audio", mediaUrl: url }],
    [{ video: { videoUrl: url, caption: "" } }, { messageType: "video", mediaUrl: url }],
    [
      { document: { documentUrl: url, fileName: "nota.pdf", title: "nota" } },
      { messageType: "document", mediaUrl: url, mediaFilename: "nota.pdf" },
    ],
    [
      { listResponseMessage: { message: "A melhor", title: "Z-API", selectedRowId: "1" } },
      {
        messageType: "option_list",
        message: "Z-API",
        choice: { id: "1", title: "Z-API", description: "A melhor" },
      },
    ],
    [
      { buttonsResponseMessage: { buttonId: "2", message: "Ótimo" } },
      { messageType: "choice", message: "Ótimo", choice: { id: "2", title: "Ótimo" } },
    ],
    [
      { location: { longitude: -46.6, latitude: -23.5, address: "Rua 1", url: "" } },
      { messageType: "location", message: "[location] Rua 1, -23.5 -46.6" },
    ],
    [
      { contact: { displayName: "Bia", vCard: "BEGIN:VCARD", phones: ["5511900000001"] } },
      { messageType: "contacts", message: "[contact] Bia 5511900000001" },
    ],
    [
      { reaction: { value: "❤️", time: 1651878681150 } },
      { message: "[reaction] ❤️", emoji: "❤️" },
    ],
    [{ poll: { question: "?" } }, { messageType: "poll", message: "[poll] ?" }],
    [
      { pollVote: { pollMessageId: "3EB0", options: [{ name: "Um" }, { name: "Dois" }] } },
      { messageType: "poll_vote", message: "[poll vote] Um, Dois" },
    ],
    [
      { pollVote: { pollMessageId: "3EB0", options: [] } },
      { messageType: "poll_vote", message: "[poll vote]" },
    ],
  ];
  for (const [members, expected] of cases) {
    const event = readEvent("zapi", zapiMessage(members)) ?? {};
    const { messageType, message, mediaUrl, mediaFilename, choice, emoji } = event;
    assertEquals(
      JSON.parse(
        JSON.stringify({ messageType, message, mediaUrl, mediaFilename, choice, emoji }),
      ),
      expected,
    );
  }
});

Deno.test("a Z-API message typed on the phone is an echo to the chat; one sent through the API may be ours or another program's", () => {
  const typed = { fromMe: true, senderLid: "999@lid", senderName: "Loja", text: { message: "a" } };
  for (const fromApi of [false, undefined]) {
    const event = readEvent(
      "zapi",
      zapiMessage({ ...typed, fromApi, chatLid: "81896604192873@lid" }),
    );
    assertEquals(event?.["origin"], "echo");
    assertEquals(event?.["address"], "5511987654321");
    assertEquals(event?.["otherAddresses"], ["81896604192873@lid"]);
    assertEquals(event?.["contactName"], "Ana do trabalho");
  }
  const sent = readEvent("zapi", zapiMessage({ ...typed, fromApi: true }));
  assertEquals([sent?.["mayBeOurs"], sent?.["isOfOtherApp"]], [true, true]);
});

Deno.test("a Z-API contact without a visible phone is identified by the hidden identity", () => {
  const event = readEvent(
    "zapi",
    zapiMessage({ phone: "81896604192873@lid", chatName: "+55 11 98765-4321", senderName: null }),
  );
  assertEquals(event, undefined);
  const text = readEvent(
    "zapi",
    zapiMessage({
      phone: "81896604192873@lid",
      chatName: "+55 11 98765-4321",
      senderName: null,
      text: { message: "a" },
    }),
  );
  assertEquals(text?.["address"], "81896604192873@lid");
  assertEquals(text?.["otherAddresses"], []);
  assertEquals(text?.["contactName"], undefined);
});

Deno.test("a Z-API group message belongs to the group and names its author", () => {
  const members = {
    phone: group,
    isGroup: true,
    chatName: "Família",
    participantPhone: "5511987654321",
    text: { message: "Oi" },
  };
  const event = readEvent("zapi", zapiMessage(members));
  assertEquals(event?.["address"], group);
  assertEquals(event?.["otherAddresses"], []);
  assertEquals(event?.["isGroup"], true);
  assertEquals(event?.["contactName"], "Família");
  assertEquals(event?.["chatName"], "Família");
  assertEquals(event?.["message"], "Ana: Oi");
  const nameless = readEvent("zapi", zapiMessage({ ...members, senderName: "" }));
  assertEquals(nameless?.["message"], "5511987654321: Oi");
  const old = readEvent("zapi", zapiMessage({ ...members, phone: "5511987654321-1623878321" }));
  assertEquals(old?.["address"], "5511987654321-1623878321");
  const echo = readEvent("zapi", zapiMessage({ ...members, fromMe: true, isGroup: undefined }));
  assertEquals(echo?.["message"], "Oi");
  assertEquals(echo?.["isGroup"], true);
});

Deno.test("undecrypted messages, channels, stories, broadcast lists and group notices give no message", () => {
  const text = { text: { message: "a" } };
  for (
    const members of [
      { ...text, phone: "1795438800-broadcast" },
      { ...text, waitingMessage: true },
      { ...text, isNewsletter: true, phone: "120363@newsletter" },
      { ...text, phone: "status@broadcast" },
      { notification: "GROUP_PARTICIPANT_ADD", notificationParameters: ["5511987654321"] },
      { ...text, messageId: null },
      { ...text, phone: null, senderLid: null },
      { reaction: { value: "" } },
    ]
  ) {
    assertEquals(readEvents("zapi", zapiMessage(members)), []);
  }
});

Deno.test("a Z-API status update gives one event per message", () => {
  const report = (status: string, ids: unknown): unknown => ({
    status,
    ids,
    momment: 1632234645000,
    phoneDevice: 0,
    phone: "5511987654321",
    type: "MessageStatusCallback",
    isGroup: false,
    instanceId: "A20DA9C0183A2D35A260F53F5D2B9244",
  });
  const expected: Record<string, string> = {
    SENT: "sent",
    RECEIVED: "delivered",
    READ: "read",
    PLAYED: "read",
  };
  for (const [word, status] of Object.entries(expected)) {
    const event = { kind: "status", status, at: "2021-09-21T14:30:45.000Z" };
    assertEquals(readEvents("zapi", report(word, ["a", 7, "b", "a", null])), [
      { ...event, providerMessageId: "a" },
      { ...event, providerMessageId: "b" },
    ]);
  }
  for (const word of ["READ_BY_ME", "valueOf", "", "read"]) {
    assertEquals(readEvents("zapi", report(word, ["a"])), []);
  }
  assertEquals(readEvents("zapi", report("READ", "a")), []);
});

Deno.test("a Z-API delivery is sent, or failed with its error", () => {
  const delivery = {
    phone: "5511987654321",
    zaapId: "Z",
    messageId: "3EB0",
    instanceId: "A20DA9C0183A2D35A260F53F5D2B9244",
    type: "DeliveryCallback",
  };
  assertEquals(readEvents("zapi", delivery), [
    { kind: "status", providerMessageId: "3EB0", status: "sent" },
  ]);
  assertEquals(readEvents("zapi", { ...delivery, error: "Phone 5511987654321 not found" }), [{
    kind: "status",
    providerMessageId: "3EB0",
    status: "failed",
    error: { code: "delivery_failed", message: "Phone [redacted] not found" },
  }]);
  assertEquals(readEvent("zapi", { ...delivery, error: true })?.["status"], "failed");
  const words = "The message was not sent due to a likely shadow ban";
  const locked = { code: "new_chat_locked", message: words, meaning: "new_chat_locked" };
  // Versions without `errorCode` tell it in words alone.
  for (const members of [{ errorCode: "SHADOW_BAN" }, {}]) {
    const event = readEvent("zapi", { ...delivery, error: words, ...members });
    assertEquals([event?.["status"], event?.["error"]], ["failed", locked]);
  }
  assertEquals(readEvents("zapi", { ...delivery, messageId: undefined }), []);
});

Deno.test("Z-API tells when the session came up or was lost, in seconds or in milliseconds", () => {
  const lost = { type: "DisconnectedCallback", disconnected: true };
  assertEquals(
    readEvents("zapi", { ...lost, error: "Device +55 11 98765-4321 left", momment: 1_580_163_342 }),
    [{
      ...{ kind: "connection", state: "disconnected", reason: "Device [...] left" },
      at: "2020-01-27T22:15:42.000Z",
    }],
  );
  const [back] = readEvents("zapi", { type: "ConnectedCallback", momment: 1_580_163_342_000 });
  assertEquals([back?.["state"], back?.["at"]], ["connected", "2020-01-27T22:15:42.000Z"]);
  assertEquals(readEvents("zapi", { ...lost, instanceId: "other" }, "mine"), []);
});

Deno.test("other Z-API callbacks and those of another instance give no event", () => {
  assertEquals(readEvents("zapi", { type: "PresenceChatCallback", status: "COMPOSING" }), []);
  const payload = zapiMessage({ text: { message: "a" } });
  assertEquals(readEvents("zapi", payload, "a20da9c0183a2d35a260f53f5d2b9244").length, 1);
  assertEquals(readEvents("zapi", payload, "B20DA9C0183A2D35A260F53F5D2B9244").length, 0);
});

Deno.test("a Z-API edit gives the new version of the message, under its own id", () => {
  const [event] = readEvents("zapi", zapiMessage({ text: { message: "às 11h" }, isEdit: true }));
  assertEquals(
    [event?.["kind"], event?.["providerMessageId"], event?.["message"], event?.["isEdit"]],
    ["message", "3EB0ZAPI", "às 11h", true],
  );
  const [plain] = readEvents("zapi", zapiMessage({ text: { message: "a" } }));
  assertEquals(plain !== undefined && "isEdit" in plain, false);
});

Deno.test("a Z-API revocation names the message that was deleted for everyone", () => {
  const read = (members: Record<string, unknown>): unknown =>
    readEvents("zapi", zapiMessage({ notification: "REVOKE", ...members }));
  const deletion = (providerMessageId: string): unknown => [
    { kind: "message_deletion", providerMessageId },
  ];
  assertEquals(read({}), deletion("3EB0ZAPI"));
  assertEquals(read({ fromMe: true, referenceMessageId: null }), deletion("3EB0ZAPI"));
  assertEquals(read({ referenceMessageId: "3EB0OLD" }), deletion("3EB0OLD"));
  assertEquals(read({ messageId: null }), []);
});

Deno.test("menus, payments and unknown kinds of Z-API messages are shown by their text", () => {
  const cases: [Record<string, unknown>, string, string?][] = [
    [
      {
        buttonsMessage: { message: "Confirma?", buttons: [{ buttonText: { displayText: "Sim" } }] },
      },
      "[menu] Confirma?, Sim",
    ],
    [
      { requestPayment: { value: 5, currencyCode: "BRL", message: "Pague" } },
      "[payment] request, Pague, 5 BRL",
      "payment",
    ],
    [
      { sendPayment: { paymentStatus: "WAITING", transactionStatus: "PENDING" } },
      "[payment]",
      "payment",
    ],
    [
      { reviewAndPay: { type: "physical-goods", products: [{ name: "Café" }] } },
      "[payment] 1 × Café",
      "payment",
    ],
    [{ reviewOrder: { orderStatus: "pending" } }, "[payment]", "payment"],
    [
      { newsletterAdminInvite: { newsletterName: "Loja", text: "Convite" } },
      "[other] Loja, Convite",
    ],
    [{ eventResponse: { response: "GOING" } }, "[event answer] going"],
    [
      {
        hydratedTemplate: {
          header: {},
          message: "Só hoje",
          title: "Oferta",
          hydratedButtons: [{ urlButton: { displayText: "Ver" } }],
        },
      },
      "[menu] Oferta, Só hoje, Ver",
    ],
    [{ somethingNew: { caption: "oi" } }, "[other] oi"],
  ];
  for (const [members, expected, type = "other"] of cases) {
    const [event] = readEvents("zapi", zapiMessage(members));
    assertEquals([event?.["messageType"], event?.["message"]], [type, expected]);
  }
});

Deno.test("a Z-API message names the message that it answers", () => {
  const quoted = (members: Record<string, unknown>): unknown =>
    readEvent("zapi", zapiMessage({ text: { message: "Sim" }, ...members }))
      ?.["quotedProviderMessageId"];
  assertEquals(quoted({ referenceMessageId: "3EB0Q" }), "3EB0Q");
  assertEquals(quoted({ referenceMessageId: "3EB0Q", isGroup: true, phone: group }), "3EB0Q");
  for (const none of [{}, { referenceMessageId: null }, { referenceMessageId: "" }]) {
    assertEquals(quoted(none), undefined);
  }
});
