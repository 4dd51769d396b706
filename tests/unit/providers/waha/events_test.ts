/** Webhooks of WAHA, from the examples of its pages Events, Receive messages, Polls and Calls. */
import { wahaKnownFields } from "../../../../shared/providers/waha/known_fields.ts";
import { assert, assertEquals } from "../../../support/assert.ts";
import { wahaEvent } from "../../../support/providers/waha/facts.ts";
import { readEvent, readEvents } from "../event_payloads.ts";

type Json = Record<string, unknown>;

const chat = "5511987654321@c.us";
const own = "551140001234@c.us";
const id = `false_${chat}_3EB0WAHA`;
const sentAt = "2022-11-04T11:31:25.000Z";

function read(event: string, payload: unknown, members: Json = {}): Json | undefined {
  return readEvent("waha", wahaEvent(event, payload, members));
}

function message(members: Json): Json {
  return { id, timestamp: 1667561485, from: chat, fromMe: false, to: own, ...members };
}

const ana = { address: "5511987654321", otherAddresses: [] };
const inbound = {
  ...{ kind: "message", origin: "inbound", providerMessageId: "3EB0WAHA", ...ana, sentAt },
  isGroup: false,
};

/** One message as each engine tells it. */
const engines: Readonly<Record<string, (text: string) => Json>> = {
  WEBJS: (body) => ({
    body,
    _data: { type: "chat", notifyName: "Ana", body, id: { _serialized: id } },
  }),
  NOWEB: (body) => ({
    body,
    _data: {
      key: { remoteJid: "5511987654321@s.whatsapp.net", fromMe: false, id: "3EB0WAHA" },
      pushName: "Ana",
      message: { conversation: body },
    },
  }),
  GOWS: (body) => ({
    body,
    _data: {
      Info: { Chat: chat, Sender: chat, PushName: "Ana", ID: "3EB0WAHA" },
      Message: { extendedTextMessage: { text: body } },
    },
  }),
};

for (const [engine, write] of Object.entries(engines)) {
  Deno.test(`WAHA, ${engine}: a text is an inbound message with its author, text and time`, () => {
    for (const event of ["message", "message.any"]) {
      assertEquals(read(event, message(write("Oi")), { engine }), {
        ...inbound,
        contactName: "Ana",
        messageType: "text",
        message: "Oi",
      });
    }
  });

  Deno.test(`WAHA, ${engine}: a hidden identity comes with its phone, which is answered`, () => {
    const lid = "81896604192873@lid";
    const hidden = message({ ...write("Oi"), from: lid, id: `false_${lid}_3EB0WAHA` });
    const alternative: Readonly<Record<string, Json>> = {
      WEBJS: { pn: chat },
      NOWEB: { key: { remoteJid: lid, remoteJidAlt: "5511987654321@s.whatsapp.net" } },
      GOWS: { Info: { Chat: lid, Sender: lid, SenderAlt: "5511987654321:12@s.whatsapp.net" } },
    };
    const told = engine === "WEBJS"
      ? { ...hidden, ...alternative[engine] }
      : { ...hidden, _data: { ...hidden["_data"] as Json, ...alternative[engine] } };
    const event = read("message", told);
    assertEquals([event?.["address"], event?.["otherAddresses"]], ["5511987654321", [lid]]);
    assertEquals(event?.["providerMessageId"], "3EB0WAHA");
    const alone = read("message", hidden);
    assertEquals([alone?.["address"], alone?.["providerMessageId"]], [lid, "3EB0WAHA"]);
  });
}

Deno.test("WAHA: a message without an engine's own data is told all the same", () => {
  assertEquals(read("message", message({ body: "Oi" })), {
    ...inbound,
    messageType: "text",
    message: "Oi",
  });
});

/** What each engine tells of a kind, and what is read of it. */
const contents: readonly (readonly [engine: string, kind: string, Json, Json])[] = [
  [
    "WEBJS",
    "a chosen row",
    {
      body: "Expresso",
      _data: {
        type: "list_response",
        listResponse: {
          title: "Expresso",
          description: "1 dia",
          singleSelectReply: { selectedRowId: "express" },
        },
      },
    },
    {
      messageType: "option_list",
      choice: { id: "express", title: "Expresso", description: "1 dia" },
    },
  ],
  [
    "WEBJS",
    "a pressed button",
    { body: "Sim", _data: { type: "buttons_response", selectedButtonId: "yes" } },
    { messageType: "choice", choice: { id: "yes", title: "Sim" } },
  ],
  [
    "WEBJS",
    "a location",
    {
      body: "",
      location: { latitude: "-23.56", longitude: "-46.65", description: "Loja" },
      _data: { type: "location" },
    },
    { messageType: "location", location: { latitude: -23.56, longitude: -46.65, name: "Loja" } },
  ],
  [
    "WEBJS",
    "a card",
    {
      vCards: [
        "BEGIN:VCARD\nVERSION:3.0\nFN:Jane Doe\nTEL;waid=911111111111:+91 11111 11111\nEND:VCARD",
      ],
      _data: { type: "vcard" },
    },
    { messageType: "contacts", contacts: [{ name: "Jane Doe", phones: ["+91 11111 11111"] }] },
  ],
  [
    "WEBJS",
    "a poll",
    {
      body: "Qual dia?",
      _data: {
        type: "poll_creation",
        pollName: "Qual dia?",
        pollOptions: [{ name: "Segunda" }, { name: "Terça" }],
        pollSelectableOptionsCount: 1,
      },
    },
    {
      messageType: "poll",
      poll: { question: "Qual dia?", options: ["Segunda", "Terça"], maxOptions: 1 },
    },
  ],
  [
    "WEBJS",
    "a forwarded text by an ad",
    {
      body: "Oi",
      _data: {
        type: "chat",
        isForwarded: true,
        forwardingScore: 5,
        ctwaContext: { title: "Promo", sourceUrl: "https://fb.me/1", sourceId: "7" },
      },
    },
    {
      messageType: "text",
      context: { isForwarded: true, isFrequentlyForwarded: true },
      referral: { headline: "Promo", sourceUrl: "https://fb.me/1", sourceId: "7" },
    },
  ],
  [
    "GOWS",
    "a chosen row",
    {
      body: "Expresso",
      _data: {
        Message: {
          listResponseMessage: {
            title: "Expresso",
            singleSelectReply: { selectedRowID: "express" },
            contextInfo: { stanzaID: "3EB0ASKED", mentionedJID: ["5511900000000@s.whatsapp.net"] },
          },
        },
      },
    },
    {
      messageType: "option_list",
      choice: { id: "express", title: "Expresso" },
      quotedProviderMessageId: "3EB0ASKED",
      context: { mentions: ["5511900000000"] },
    },
  ],
  [
    "GOWS",
    "an answer to a form",
    {
      body: null,
      _data: {
        Message: {
          interactiveResponseMessage: {
            nativeFlowResponseMessage: { name: "flow", paramsJSON: '{"nome":"Bia"}' },
          },
        },
      },
    },
    { messageType: "flow_answer", flowAnswer: { name: "flow", data: { nome: "Bia" } } },
  ],
];

for (const [engine, kind, members, told] of contents) {
  Deno.test(`WAHA, ${engine}: ${kind} is told with its facts`, () => {
    const event = read("message", message(members), { engine }) ?? {};
    assertEquals({ ...event, ...told }, event);
  });
}

/** A file of each kind: how each engine names it, and its type here. */
const files: readonly (readonly [string, Json, string])[] = [
  ["WEBJS", { type: "image" }, "image"],
  ["WEBJS", { type: "ptt" }, "voice"],
  ["WEBJS", { type: "document", filename: "a.pdf" }, "document"],
  ["NOWEB", { message: { imageMessage: { mimetype: "image/jpeg" } } }, "image"],
  ["NOWEB", { message: { audioMessage: { ptt: true } } }, "voice"],
  ["NOWEB", { message: { documentMessage: { fileName: "a.pdf" } } }, "document"],
  ["GOWS", { Message: { imageMessage: { URL: "https://mmg.whatsapp.net/x" } } }, "image"],
  ["GOWS", { Message: { audioMessage: { PTT: true } } }, "voice"],
  ["GOWS", { Message: { stickerMessage: {} } }, "sticker"],
  ["none", {}, "image"],
];

for (const [engine, data, messageType] of files) {
  Deno.test(`WAHA, ${engine}: a ${messageType} has its URL at WAHA, its caption and its message's id`, () => {
    const url = `http://localhost:3000/api/files/${id}.jpg`;
    const event = read(
      "message",
      message({
        body: null,
        hasMedia: true,
        media: { url, mimetype: "image/jpeg", filename: null, error: null },
        _data: data,
      }),
    );
    assertEquals(event?.["messageType"], messageType);
    assertEquals(event?.["mediaUrl"], url);
    const { source, mimeType } = event?.["file"] as Json;
    assertEquals([source, mimeType], [{ url, id }, "image/jpeg"]);
  });
}

Deno.test("WAHA: a file that was not downloaded is asked for by its message", () => {
  for (const media of [null, { url: null, mimetype: "image/jpeg", filename: null }]) {
    const event = read(
      "message",
      message({ hasMedia: true, media, _data: { message: { imageMessage: { caption: "Veja" } } } }),
    );
    assertEquals([event?.["messageType"], event?.["message"]], ["image", "Veja"]);
    assertEquals((event?.["file"] as Json)["source"], { id });
  }
});

Deno.test("WAHA: the quoted message is named by its bare id, whichever form an engine tells", () => {
  const forms: readonly Json[] = [
    { replyTo: { id: `true_${chat}_3EB0ASKED` }, body: "Sim" },
    { replyTo: { id: "3EB0ASKED" }, body: "Sim" },
    { body: "Sim", _data: { type: "chat", quotedStanzaID: "3EB0ASKED" } },
    {
      _data: {
        message: { extendedTextMessage: { text: "Sim", contextInfo: { stanzaId: "3EB0ASKED" } } },
      },
    },
  ];
  for (const members of forms) {
    assertEquals(read("message", message(members))?.["quotedProviderMessageId"], "3EB0ASKED");
  }
});

Deno.test("WAHA: what the phone has written is an echo to the chat; what the API has sent may be ours", () => {
  const echo = (members: Json): Json | undefined =>
    read("message.any", {
      ...{ id: `true_${chat}_3EB0OUT`, timestamp: 1667561485, fromMe: true, body: "Já saiu" },
      ...{ from: own, to: chat, ...members },
    });
  const typed = echo({ source: "app" });
  assertEquals([typed?.["origin"], typed?.["address"], typed?.["mayBeOurs"]], [
    ...["echo", "5511987654321", false],
  ]);
  assertEquals(typed?.["contactName"], undefined);
  const sent = echo({ source: "api" });
  assertEquals([sent?.["mayBeOurs"], sent?.["isOfOtherApp"]], [true, true]);
  assertEquals(echo({})?.["mayBeOurs"], true, "an engine that does not say");
});

Deno.test("WAHA: an echo is put under the chat that `to` names, never under the own number", () => {
  const echo = (members: Json, me: Json = { id: own, lid: "1@lid" }): unknown =>
    read("message.any", { fromMe: true, body: "a", timestamp: 1667561485, ...members }, { me })
      ?.["address"];
  const typed = { id: "true_5511900000009@c.us_A", from: own };
  assertEquals(echo({ ...typed, to: chat }), "5511987654321", "issue 2241");
  assertEquals(echo({ id: `true_${chat}_A`, from: chat, to: null }), "5511987654321", "NOWEB");
  assertEquals(echo({ id: `true_${chat}_A`, from: chat, to: chat }), "5511987654321", "the page");
  assertEquals(echo({ id: `true_${own}_A`, from: own, to: own }), undefined, "a note to self");
  assertEquals(echo({ id: "true_1@lid_A", from: "1@lid", to: "1@lid" }), undefined);
  assertEquals(
    echo({ id: `true_${chat}_A`, from: chat, to: chat }, {}),
    undefined,
    "equal ends of an unknown session",
  );
});

Deno.test("WAHA: a group message belongs to the group and names its author", () => {
  const group = "120363041234567890@g.us";
  const event = read("message", {
    ...{ id: `false_${group}_3EB0_5511987654321@c.us`, timestamp: 1667561485, from: group },
    ...{ fromMe: false, participant: "81896604192873@lid", pn: chat, body: "Oi" },
    _data: { pushName: "Ana", message: { conversation: "Oi" } },
  });
  assertEquals([event?.["address"], event?.["isGroup"], event?.["message"]], [
    ...[group, true, "Ana: Oi"],
  ]);
  assertEquals(event?.["author"], {
    name: "Ana",
    phone: "5511987654321",
    lid: "81896604192873@lid",
  });
  assertEquals(event?.["contactName"], undefined);
});

Deno.test("WAHA: statuses, channels, key exchanges and edits within `message` give no message", () => {
  const none: readonly Json[] = [
    { from: "status@broadcast", id: "false_status@broadcast_A_1@c.us", body: "a" },
    { from: "120363144038483540@newsletter", id: "false_1@newsletter_A", body: "a" },
    { _data: { message: { senderKeyDistributionMessage: {} } } },
    { _data: { message: { protocolMessage: { type: 0, key: { id: "A" } } } } },
    {
      body: "b",
      _data: {
        message: {
          editedMessage: {
            message: { protocolMessage: { editedMessage: { conversation: "b" } } },
          },
        },
      },
    },
    { body: "", _data: { type: "e2e_notification" } },
    { body: "", _data: { type: "ciphertext" } },
  ];
  for (const members of none) {
    assertEquals(readEvents("waha", wahaEvent("message", message(members))), []);
  }
});

Deno.test("WAHA: a reaction names its message by the bare id, at an instant with a fraction", () => {
  const event = read("message.reaction", {
    id: "false_79111111@c.us_11111111111111111111111111111111",
    from: "79111111@c.us",
    fromMe: false,
    participant: "79111111@c.us",
    to: "79111111@c.us",
    timestamp: 1710481111.853,
    reaction: {
      text: "🙏",
      messageId: "true_79111111@c.us_22222222222222222222222222222222",
    },
  });
  assertEquals(event, {
    kind: "reaction",
    origin: "inbound",
    providerMessageId: "11111111111111111111111111111111",
    address: "79111111",
    otherAddresses: [],
    message: "[reaction] 🙏",
    emoji: "🙏",
    sentAt: "2024-03-15T05:38:31.853Z",
    isGroup: false,
    quotedProviderMessageId: "22222222222222222222222222222222",
  });
  const taken = read("message.reaction", {
    ...{ id, from: chat, fromMe: false, timestamp: 1710481111 },
    reaction: { text: "", messageId: "A" },
  });
  assertEquals([taken?.["kind"], taken?.["emoji"]], ["reaction", null]);
});

Deno.test("WAHA: an ack is a status of our message, by name or number; that of a contact's is none", () => {
  const at = 1795900000123;
  const ack = (members: Json): Json | undefined =>
    read("message.ack", {
      id: "true_11111111111@c.us_4CC5EDD64BC22EBA6D639F2AF571346C",
      from: "11111111111@c.us",
      participant: null,
      fromMe: true,
      ...members,
    }, { timestamp: at });
  const expected: readonly (readonly [Json, unknown])[] = [
    [{ ack: -1, ackName: "ERROR" }, "failed"],
    [{ ack: 0, ackName: "PENDING" }, undefined],
    [{ ack: 1, ackName: "SERVER" }, "sent"],
    [{ ack: 2 }, "delivered"],
    [{ ack: 3, ackName: "READ" }, "read"],
    [{ ack: 4 }, "read"],
    [{ ack: 3, fromMe: false }, undefined],
    [{ ackName: "UNKNOWN" }, undefined],
  ];
  for (const [members, status] of expected) {
    assertEquals(ack(members)?.["status"], status, JSON.stringify(members));
  }
  const refused = (error: unknown): unknown => ack({ ack: -1, ackName: "ERROR", error })?.["error"];
  const message = "WhatsApp did not accept the message.";
  const locked = { code: "463", blocked: true, reason: "account_restricted", until: null };
  assertEquals(refused(locked), {
    ...{ code: "new_chat_locked", meaning: "new_chat_locked", message },
  });
  assertEquals(refused({ code: "479", blocked: false }), { code: "479", message });
  for (const unknown of [undefined, null, { code: null }, { code: "4630" }, "463"]) {
    assertEquals(refused(unknown), { code: "ERROR", message });
  }
  assertEquals(ack({ ack: 3 }), {
    kind: "status",
    providerMessageId: "4CC5EDD64BC22EBA6D639F2AF571346C",
    status: "read",
    at: new Date(at).toISOString(),
  });
});

Deno.test("WAHA: one member's reading of a group's message is told of the member alone", () => {
  assertEquals(
    read("message.ack.group", {
      ...{ id: "true_11111111111@g.us_4CC5_9999@lid", from: "11111111111@g.us" },
      ...{ participant: "9999@lid", fromMe: true, ack: 3, ackName: "READ" },
    }, { timestamp: 1795900000000 }),
    {
      kind: "status",
      providerMessageId: "4CC5",
      status: "delivered",
      at: "2026-11-28T21:06:40.000Z",
      member: { lid: "9999@lid", hasRead: true },
    },
  );
});

Deno.test("WAHA: an edit gives the message its new words, by the id of the message", () => {
  const forms: readonly Json[] = [
    { id: `false_${chat}_EDIT`, editedMessageId: "3EB0WAHA" },
    { id: `false_${chat}_EDIT`, editedMessageId: `false_${chat}_3EB0WAHA` },
    // WEBJS tells the message's own id.
    { id },
  ];
  for (const members of forms) {
    const event = read("message.edited", message({ body: "às 11h", ...members }));
    assertEquals(event, { ...inbound, isEdit: true, messageType: "text", message: "às 11h" });
  }
  const unplaced = { id: "EDIT", editedMessageId: "3EB0WAHA", body: "às 11h" };
  assertEquals(read("message.edited", unplaced), {
    kind: "message_edit",
    providerMessageId: "3EB0WAHA",
    message: "às 11h",
  });
});

Deno.test("WAHA: a deletion names the message, whichever of its three places tells it", () => {
  const deletion = { kind: "message_deletion", providerMessageId: "3EB0WAHA" };
  const after = { id: `false_${chat}_REVOKE` };
  for (
    const payload of [
      { after, revokedMessageId: "3EB0WAHA", before: null },
      { after, before: { id } },
      { after: { id }, before: null },
    ]
  ) assertEquals(read("message.revoked", payload), deletion);
});

Deno.test("WAHA: a vote is all that the person chooses now; ours is left out, one that failed is unreadable", () => {
  const vote = {
    id: "false_1111111111@c.us_83ACBE602A05C79B234B54415E95EE8A",
    to: "me",
    from: "1111111@c.us",
    fromMe: false,
    selectedOptions: ["Awesome!"],
    timestamp: 1692861427,
  };
  const poll = { id: "true_1111111111@c.us_BAE5F2EF5C69001E", to: "1111111111@c.us", fromMe: true };
  const event = read("poll.vote", { vote, poll });
  assertEquals(event?.["pollVote"], { pollId: "BAE5F2EF5C69001E", options: ["Awesome!"] });
  assertEquals([event?.["address"], event?.["quotedProviderMessageId"], event?.["mayRepeat"]], [
    ...["1111111", "BAE5F2EF5C69001E", true],
  ]);
  assertEquals(read("poll.vote", { vote: { ...vote, fromMe: true }, poll }), undefined);
  const failed = read("poll.vote.failed", { vote: { ...vote, selectedOptions: [] }, poll });
  assertEquals([failed?.["isUnreadable"], failed?.["pollVote"]], [
    true,
    { pollId: "BAE5F2EF5C69001E", options: [] },
  ]);
  const inGroup = read("poll.vote", {
    vote: { ...vote, id: "false_3333@g.us_1C18", to: "3333@g.us" },
    poll,
  });
  assertEquals([inGroup?.["address"], inGroup?.["isGroup"]], ["3333@g.us", true]);
  assertEquals((inGroup?.["author"] as Json)["phone"], "1111111");
});

Deno.test("WAHA: a call that nobody answered is told once it has ended", () => {
  const call = { id: "CALL1", from: chat, timestamp: 1721374000, isVideo: true, isGroup: false };
  const event = read("call.rejected", call);
  assertEquals([event?.["messageType"], event?.["call"], event?.["isUnreadable"]], [
    ...["call", { kind: "video", callId: "CALL1" }, true],
  ]);
  assertEquals(read("call.received", call), undefined);
  assertEquals(read("call.rejected", { ...call, isGroup: true }), undefined);
});

Deno.test("WAHA: each state of a session is a connection, the loss of one, or a step between", () => {
  const states: Readonly<Record<string, unknown>> = {
    WORKING: "connected",
    STOPPED: "disconnected",
    FAILED: "disconnected",
    SCAN_QR_CODE: "disconnected",
    PASSKEY_REQUIRED: "disconnected",
    PASSKEY_CONFIRMATION_REQUIRED: "disconnected",
    STARTING: undefined,
    BRAND_NEW: undefined,
  };
  for (const [status, state] of Object.entries(states)) {
    const event = read("session.status", { name: "loja", status, data: null }, {
      timestamp: 1795900000123,
    });
    assertEquals(event?.["state"], state, status);
    if (state === undefined) continue;
    assertEquals(event?.["at"], "2026-11-28T21:06:40.123Z");
    assertEquals(event?.["reason"], state === "connected" ? undefined : status);
    assertEquals(event?.["pairedPhone"], state === "connected" ? "551140001234" : undefined);
  }
});

Deno.test("WAHA: a lock on new chats and their quota leave the session connected and are told beside it", () => {
  const told = (data: Json): unknown[] =>
    readEvents("waha", wahaEvent("session.status", { status: "WORKING", data })).map((event) => [
      ...[event["state"] ?? event["change"], event["limit"]],
    ]);
  const lock = { enforcementType: "RESTRICT_ALL_COMPANIONS", timeEnforcementEnds: 1784477333 };
  assertEquals(told({ reachoutTimelock: { ...lock, isActive: true } }), [
    ...[["connected", undefined], ["REACHOUT_TIMELOCK", undefined]],
  ]);
  assertEquals(told({ reachoutTimelock: { ...lock, isActive: false } }), [
    ...[["connected", undefined], ["REACHOUT_TIMELOCK_ENDED", undefined]],
  ]);
  const capping = { cappingStatus: "FIRST_WARNING", totalQuota: 1000, usedQuota: 640 };
  assertEquals(told({ messageCapping: capping }), [
    ...[["connected", undefined], ["MESSAGE_CAPPING_FIRST_WARNING", "1000"]],
  ]);
  const notEligible = { mvStatus: "NOT_ELIGIBLE", oteStatus: "NOT_ELIGIBLE" };
  const placeholder = { cappingStatus: "NONE", totalQuota: 0, ...notEligible };
  assertEquals(told({ messageCapping: placeholder }), [["connected", undefined]]);
  assertEquals(told({ messageCapping: { ...placeholder, totalQuota: -1 } }), [
    ...[["connected", undefined], ["MESSAGE_CAPPING_NONE", undefined]],
  ]);
});

Deno.test("WAHA: events of another session of the server are skipped", () => {
  const payload = wahaEvent("message", message({ body: "Oi" }), { session: "loja" });
  assertEquals(readEvents("waha", payload, "loja").length, 1);
  assertEquals(readEvents("waha", payload, "filial"), []);
  assertEquals(readEvents("waha", wahaEvent("message", message({ body: "Oi" })), "loja").length, 1);
});

Deno.test("WAHA: every event of its page is read, or left out with a reason", () => {
  const documented = [
    ...["session.status", "message", "message.any", "message.reaction", "message.ack"],
    ...["message.ack.group", "message.waiting", "message.edited", "message.revoked"],
    ...["chat.archive", "group.v2.join", "group.v2.leave", "group.v2.participants"],
    ...["group.v2.participants.join-request", "group.v2.update", "presence.update", "poll.vote"],
    ...["poll.vote.failed", "event.response", "event.response.failed", "label.upsert"],
    ...["label.deleted", "label.chat.added", "label.chat.deleted", "call.received"],
    ...["call.accepted", "call.rejected", "engine.event", "group.join", "group.leave"],
    "state.change",
  ];
  const { read, ignored, list } = wahaKnownFields;
  assertEquals([...read, ...Object.keys(ignored)].sort(), documented.sort());
  for (const event of documented) assertEquals(list(wahaEvent(event, {})), [event]);
  for (const event of Object.keys(ignored)) {
    assertEquals(readEvents("waha", wahaEvent(event, message({ body: "a" }))), [], event);
  }
  assert(documented.length === 31);
});
