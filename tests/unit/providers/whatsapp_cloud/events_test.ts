import { assertEquals } from "../../../support/assert.ts";
import { cloudChange, cloudMessage, readEvent, readEvents } from "../event_payloads.ts";

const messageId = "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11";

/** The fields of an event that derive from the message's content. */
function readContent(message: Record<string, unknown>): Record<string, unknown> | undefined {
  const event = readEvent("whatsapp_cloud", cloudMessage(message));
  if (event === undefined) return undefined;
  const { kind: _k, origin: _o, providerMessageId: _p, address: _a, ...rest } = event;
  const { otherAddresses: _oa, contactName: _n, sentAt: _s, isGroup: _g, ...content } = rest;
  return content;
}

Deno.test("a Cloud text is an inbound message with its author, text and time", () => {
  const payload = cloudMessage({ type: "text", text: { body: "  Olá!\nTudo bem? " } });
  assertEquals(readEvents("whatsapp_cloud", payload), [{
    kind: "message",
    origin: "inbound",
    providerMessageId: "wamid.A",
    address: "5511987654321",
    otherAddresses: [],
    contactName: "Ana",
    messageType: "text",
    message: "  Olá!\nTudo bem? ",
    sentAt: "2025-06-08T20:59:43.000Z",
    isGroup: false,
  }]);
});

/** A SHA-256 as webhooks have it: of zeros. */
const digest = btoa("\0".repeat(32));

Deno.test("each kind of Cloud content becomes its message type", () => {
  const media = { id: "77", mime_type: "image/jpeg", sha256: digest, url: "https://lookaside/x" };
  const file = { source: { id: "77" }, mimeType: "image/jpeg", sha256: "0".repeat(64) };
  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      { type: "image", image: { ...media, caption: "Taj Mahal" } },
      { messageType: "image", message: "Taj Mahal", mediaId: "77", file },
    ],
    [{ type: "sticker", sticker: media }, { messageType: "sticker", mediaId: "77", file }],
    [{ type: "audio", audio: { ...media, voice: true } }, {
      messageType: "voice",
      mediaId: "77",
      file,
    }],
    [{ type: "video", video: media }, { messageType: "video", mediaId: "77", file }],
    [
      { type: "document", document: { ...media, filename: "a.pdf", caption: "Nota" } },
      {
        messageType: "document",
        message: "Nota",
        mediaId: "77",
        mediaFilename: "a.pdf",
        file: { ...file, filename: "a.pdf" },
      },
    ],
    [
      {
        type: "interactive",
        interactive: {
          type: "list_reply",
          list_reply: { id: "express", title: "Expresso", description: "2 dias" },
        },
      },
      {
        messageType: "option_list",
        message: "Expresso",
        choice: { id: "express", title: "Expresso", description: "2 dias" },
      },
    ],
    [
      {
        type: "interactive",
        interactive: { type: "button_reply", button_reply: { id: "no", title: "Cancelar" } },
      },
      { messageType: "choice", message: "Cancelar", choice: { id: "no", title: "Cancelar" } },
    ],
    [
      { type: "button", button: { payload: "STOP", text: "Sair" }, context: { id: "wamid.X" } },
      {
        messageType: "choice",
        message: "Sair",
        choice: { id: "STOP", title: "Sair" },
        quotedProviderMessageId: "wamid.X",
      },
    ],
    [
      { type: "location", location: { latitude: -23.5, longitude: -46.6, name: "Café" } },
      {
        messageType: "location",
        message: "[location] Café, -23.5 -46.6",
        location: { latitude: -23.5, longitude: -46.6, name: "Café" },
      },
    ],
    [
      {
        type: "contacts",
        contacts: [{ name: { formatted_name: "Bia" }, phones: [{ phone: "+55 11 4002-8922" }] }, {
          name: { formatted_name: "Caio" },
        }],
      },
      {
        messageType: "contacts",
        message: "[contact] Bia +55 11 4002-8922, Caio",
        contacts: [{ name: "Bia", phones: ["+55 11 4002-8922"] }, { name: "Caio", phones: [] }],
      },
    ],
    [
      { type: "reaction", reaction: { message_id: "wamid.X", emoji: "👍" } },
      { message: "[reaction] 👍", emoji: "👍", quotedProviderMessageId: "wamid.X" },
    ],
    [
      { type: "unsupported", errors: [{ code: 131051, title: "Message type unknown" }] },
      {
        messageType: "other",
        message: "[unsupported] Message type unknown",
        isUnreadable: true,
        errors: [{ code: "131051", title: "Message type unknown" }],
      },
    ],
    [
      { type: "hologram", hologram: {} },
      { messageType: "other", message: "[hologram]", isUnreadable: true },
    ],
    [
      { type: "constructor" },
      { messageType: "other", message: "[constructor]", isUnreadable: true },
    ],
    [{}, { messageType: "other", message: "[unsupported]", isUnreadable: true }],
  ];
  for (const [message, expected] of cases) assertEquals(readContent(message), expected);
});

Deno.test("a Cloud reaction is taken back without an emoji, and a system notice gives no message", () => {
  assertEquals(readContent({ type: "reaction", reaction: { message_id: "wamid.X" } }), {
    emoji: null,
    message: "[reaction taken back]",
    quotedProviderMessageId: "wamid.X",
  });
  assertEquals(
    readEvents(
      "whatsapp_cloud",
      cloudMessage({ type: "system", system: { type: "customer_identity_changed", body: "x" } }),
    ),
    [{
      ...{ kind: "identity", address: "5511987654321", otherAddresses: [] },
      ...{ identity: "wamid.A", isNotice: true, noticeId: "wamid.A", source: "system" },
      at: "2025-06-08T20:59:43.000Z",
    }],
  );
});

Deno.test("a Cloud edit gives its new text, and one without a text no event", () => {
  const edit = (message?: unknown): Record<string, unknown> => ({
    type: "edit",
    edit: { original_message_id: "wamid.O", message },
  });
  const text = { context: { id: "M0" }, type: "text", text: { body: "às 11h" } };
  const isEdit = true;
  assertEquals(readContent(edit(text)), { isEdit, messageType: "text", message: "às 11h" });
  assertEquals(
    readContent(edit({ type: "image", image: { id: "77", caption: "Nova legenda" } })),
    {
      isEdit,
      messageType: "image",
      message: "Nova legenda",
      mediaId: "77",
      file: { source: { id: "77" } },
    },
  );
  const echo = (message: Record<string, unknown>): unknown =>
    readEvent(
      "whatsapp_cloud",
      cloudChange({
        message_echoes: [{ to: "5511987654321", id: "wamid.E", ...message }],
      }, "smb_message_echoes"),
    )?.["message"];
  assertEquals(echo(edit(text)), "às 11h");
  const revoke = { type: "revoke", revoke: { original_message_id: "wamid.O" } };
  const unreadable = [undefined, null, {}, { type: "text" }, { type: "image" }, edit(text), revoke];
  for (const message of [{ type: "edit" }, ...unreadable.map((inner) => edit(inner))]) {
    assertEquals(readContent(message), undefined);
    assertEquals(echo(message), undefined);
  }
});

Deno.test("a revoke names the message that the contact or the business deleted for everyone", () => {
  const revoke = { type: "revoke", revoke: { original_message_id: "wamid.O" } };
  const deletion = { kind: "message_deletion", providerMessageId: "wamid.O" };
  const echo = (message: Record<string, unknown>): unknown =>
    cloudChange({
      message_echoes: [{ to: "5511987654321", id: "wamid.E", ...message }],
    }, "smb_message_echoes");
  const status = (id: unknown): unknown => cloudChange({ statuses: [{ id, status: "deleted" }] });
  for (const payload of [cloudMessage(revoke), echo(revoke), status("wamid.O")]) {
    assertEquals(readEvents("whatsapp_cloud", payload), [deletion]);
  }
  const unnamed = { type: "revoke", revoke: {} };
  for (const payload of [cloudMessage(unnamed), echo(unnamed), status(null)]) {
    assertEquals(readEvents("whatsapp_cloud", payload), []);
  }
});

Deno.test("every entry, change, message and status is read, whatever is between them", () => {
  const text = (id: string): unknown => ({
    from: "5511987654321",
    id,
    timestamp: "1749416383",
    type: "text",
    text: { body: id },
  });
  const status = (id: string): unknown => ({ id, status: "read", timestamp: "1749416384" });
  const change = (value: unknown): unknown => ({ field: "messages", value });
  const events = readEvents("whatsapp_cloud", {
    entry: [
      null,
      { changes: [change({ messages: [text("a"), 7, { from: "5511987654321" }, text("b")] })] },
      { changes: "none" },
      {
        changes: [
          { field: "account_update", value: { messages: [text("never")] } },
          change(null),
          change({ messages: {}, statuses: [[], status("c"), { id: "d", status: "warning" }] }),
          change({ messages: [text("e")], statuses: [status("f")] }),
        ],
      },
    ],
  });
  assertEquals(events.map(({ providerMessageId }) => providerMessageId), ["a", "b", "c", "e", "f"]);
});

Deno.test("messages of several people get the right names and addresses", () => {
  const events = readEvents(
    "whatsapp_cloud",
    cloudChange({
      contacts: [
        { profile: { name: "Ana" }, wa_id: "5511987654321", user_id: "BR.111" },
        { profile: { name: "Bia" }, user_id: "BR.222" },
      ],
      messages: [
        { from: "BR.222", id: "b", type: "text", text: { body: "b" } },
        { from: "5511987654321", id: "a", type: "text", text: { body: "a" } },
        { from: "5511900000001", id: "c", type: "text", text: { body: "c" } },
        { from_user_id: "BR.111", id: "d", type: "text", text: { body: "d" } },
      ],
    }),
  );
  assertEquals(
    events.map(({ address, otherAddresses, contactName }) => [
      address,
      otherAddresses,
      contactName,
    ]),
    [
      ["BR.222", [], "Bia"],
      ["5511987654321", ["BR.111"], "Ana"],
      ["5511900000001", [], undefined],
      ["5511987654321", ["BR.111"], "Ana"],
    ],
  );
});

Deno.test("the only contact beside the only message is its author, even with another spelling of the number", () => {
  const event = readEvent(
    "whatsapp_cloud",
    cloudChange({
      contacts: [{ profile: { name: "Ana" }, wa_id: "551187654321" }],
      messages: [{ from: "5511987654321", id: "a", type: "text", text: { body: "a" } }],
    }),
  );
  assertEquals(event?.["address"], "5511987654321");
  assertEquals(event?.["otherAddresses"], ["551187654321"]);
  assertEquals(event?.["contactName"], "Ana");
});

Deno.test("with several contacts or messages an author is found by id only", () => {
  const contact = (id: string): unknown => ({ profile: { name: "Ana" }, wa_id: id });
  const text = (from: string): unknown => ({ from, id: from, type: "text", text: { body: "a" } });
  for (
    const value of [
      { contacts: [contact("551187654321")], messages: [text("5511900000001"), text("1234567")] },
      { contacts: [contact("551187654321"), contact("98765")], messages: [text("5511900000001")] },
    ]
  ) {
    const event = readEvent("whatsapp_cloud", cloudChange(value));
    assertEquals(event?.["otherAddresses"], []);
    assertEquals(event?.["contactName"], undefined);
  }
});

Deno.test("a Cloud group message belongs to the group and names its author", () => {
  const event = readEvent(
    "whatsapp_cloud",
    cloudMessage({ type: "text", text: { body: "Oi" }, group_id: "Y2FwaV9ncm91cDox" }),
  );
  assertEquals(event?.["address"], "Y2FwaV9ncm91cDox");
  assertEquals(event?.["isGroup"], true);
  assertEquals(event?.["message"], "Ana: Oi");
  assertEquals(event?.["contactName"], undefined);
  const button = { payload: "STOP", text: "Sair" };
  const choice = readEvent(
    "whatsapp_cloud",
    cloudMessage({ type: "button", button, group_id: "g" }),
  );
  assertEquals(choice?.["message"], "Sair");
  const reaction = readEvent(
    "whatsapp_cloud",
    cloudMessage({ type: "reaction", reaction: { emoji: "👍" }, group_id: "g" }),
  );
  assertEquals([reaction?.["message"], reaction?.["emoji"]], ["Ana: [reaction] 👍", "👍"]);
});

Deno.test("a message typed in the WhatsApp Business app is an echo to its recipient", () => {
  const payload = cloudChange({
    message_echoes: [{
      from: "15550783881",
      to: "5511987654321",
      id: "wamid.E",
      timestamp: "1749416383",
      type: "text",
      text: { body: "Já respondo" },
    }],
  }, "smb_message_echoes");
  assertEquals(readEvents("whatsapp_cloud", payload), [{
    kind: "message",
    origin: "echo",
    providerMessageId: "wamid.E",
    address: "5511987654321",
    otherAddresses: [],
    messageType: "text",
    message: "Já respondo",
    sentAt: "2025-06-08T20:59:43.000Z",
    isGroup: false,
  }]);
});

Deno.test("a Cloud status carries our message id, its time and, failed, its error", () => {
  const status = {
    id: "wamid.S",
    timestamp: "1749416383",
    recipient_id: "5511987654321",
    recipient_user_id: "BR.111",
    pricing: { billable: true },
  };
  const error = {
    code: 131026,
    title: "Message undeliverable",
    message: "Message undeliverable",
    error_data: { details: "Message to +55 11 98765-4321 undeliverable." },
    href: "https://developers.facebook.com",
  };
  const events = readEvents(
    "whatsapp_cloud",
    cloudChange({
      statuses: [
        { ...status, status: "sent", biz_opaque_callback_data: messageId.toUpperCase() },
        { ...status, status: "delivered", biz_opaque_callback_data: "order 7" },
        { ...status, status: "played", timestamp: "1" },
        { ...status, status: "failed", errors: [error] },
        { ...status, status: "failed" },
        {
          ...status,
          status: "failed",
          errors: [{
            code: 131026,
            title: "(#131026) Message undeliverable",
            error_data: { details: "(#131026) Message undeliverable" },
          }],
        },
        { ...status, status: "toString" },
      ],
    }),
  );
  const event = { kind: "status", providerMessageId: "wamid.S", at: "2025-06-08T20:59:43.000Z" };
  const { at: _at, ...withoutTime } = event;
  assertEquals(events, [
    { ...event, messageId, status: "sent" },
    { ...event, status: "delivered" },
    { ...withoutTime, status: "read" },
    {
      ...event,
      status: "failed",
      error: {
        code: "131026",
        message: "Message undeliverable: Message to [redacted] undeliverable.",
      },
    },
    {
      ...event,
      status: "failed",
      error: { code: "failed", message: "The provider gave no reason." },
    },
    {
      ...event,
      status: "failed",
      error: { code: "131026", message: "Message undeliverable" },
    },
  ]);
});

Deno.test("a changed number names the old and the new one", () => {
  const change = (system: unknown): unknown =>
    cloudChange({ messages: [{ from: "16505551234", id: "a", type: "system", system }] });
  const event = {
    kind: "number_change",
    eventId: "a",
    oldAddress: "16505551234",
    newAddress: "12195555358",
  };
  assertEquals(
    readEvents("whatsapp_cloud", change({ type: "user_changed_number", wa_id: "12195555358" })),
    [event],
  );
  assertEquals(
    readEvents(
      "whatsapp_cloud",
      change({ type: "customer_changed_number", new_wa_id: "12195555358" }),
    ),
    [event],
  );
  assertEquals(
    readEvents("whatsapp_cloud", change({ type: "user_changed_number", wa_id: "16505551234" })),
    [],
  );
});

Deno.test("a template status event needs the template's id as exact digits", () => {
  const decide = (id: unknown): unknown =>
    cloudChange({
      event: "REJECTED",
      message_template_id: id,
      message_template_name: "ola",
      message_template_language: "pt_BR",
      reason: "NONE",
    }, "message_template_status_update");
  const event = { kind: "template_status", status: "REJECTED" };
  assertEquals(readEvents("whatsapp_cloud", decide(1689556908129832)), [
    { ...event, providerTemplateId: "1689556908129832" },
  ]);
  assertEquals(readEvents("whatsapp_cloud", decide("12345678901234567890")), [
    { ...event, providerTemplateId: "12345678901234567890" },
  ]);
  for (const id of [2 ** 53, 1.5, -1, "", "ola", null, {}]) {
    assertEquals(readEvents("whatsapp_cloud", decide(id)), []);
  }
});

Deno.test("a template that may be sent again is approved, one at risk keeps its status", () => {
  const statusAfter = (event: string): unknown =>
    readEvent(
      "whatsapp_cloud",
      cloudChange({ event, message_template_id: 7 }, "message_template_status_update"),
    )?.["status"];
  assertEquals(["REINSTATED", "UNARCHIVED"].map(statusAfter), ["APPROVED", "APPROVED"]);
  // A template that cannot be edited can still be sent.
  assertEquals(["FLAGGED", "LOCKED", "UNLOCKED"].map(statusAfter), Array(3).fill(undefined));
  const kept = ["APPROVED", "ARCHIVED", "PAUSED", "DISABLED", "IN_APPEAL", "PENDING_DELETION"];
  assertEquals(kept.map(statusAfter), kept);
});

Deno.test("events of another number of the same business account are skipped", () => {
  const payload = cloudMessage({ type: "text", text: { body: "a" } });
  assertEquals(readEvents("whatsapp_cloud", payload, "106540352242922").length, 1);
  assertEquals(readEvents("whatsapp_cloud", payload, "999").length, 0);
});

Deno.test("a flow's answers are text without its token; a permission to call gives no message", () => {
  const read = (interactive: unknown): Record<string, unknown> | undefined =>
    readEvent("whatsapp_cloud", cloudMessage({ type: "interactive", interactive }));
  const form = (response_json: unknown): unknown => ({
    type: "nfm_reply",
    nfm_reply: { name: "flow", body: "Sent", response_json },
  });
  const answers = JSON.stringify({
    flow_token: "unused",
    nome: "Ana",
    idade: 41,
    dias: ["seg", "ter"],
    vazio: "",
  });
  assertEquals(
    read(form(answers))?.["message"],
    '[form] nome: Ana, idade: 41, dias: ["seg","ter"]',
  );
  for (const none of [undefined, "{", "7", "null", {}]) {
    assertEquals(read(form(none))?.["message"], "[nfm_reply] Sent");
  }
  const permission = { response: "accept", is_permanent: false, response_source: "user_action" };
  assertEquals(
    read({ type: "call_permission_reply", call_permission_reply: permission }),
    undefined,
  );
});

Deno.test("a changed user id is found in each of three places, and beside a changed number", () => {
  const [oldId, newId] = ["BR.1502576394655843", "BR.2703118841200391"];
  const system = (members: Record<string, unknown>, outer: Record<string, unknown> = {}): unknown =>
    cloudChange({
      messages: [{ id: "a", type: "system", system: { user_id: newId, ...members }, ...outer }],
    });
  const type = "user_changed_user_id";
  const event = {
    kind: "number_change",
    eventId: "a",
    oldAddress: oldId,
    newAddress: newId,
    isUserId: true,
  };
  for (
    const payload of [
      system({ type, previous_user_id: oldId }),
      system({ type, body: `User Ana changed from ${oldId} to ${newId}` }),
      system({ type }, { user_id_update: { previous: oldId, current: newId } }),
      system({ type, user_id_update: { previous: oldId, current: newId } }),
    ]
  ) {
    assertEquals(readEvents("whatsapp_cloud", payload), [event]);
  }
  const field = cloudChange(
    { user_id_update: [{ user_id: { previous: oldId, current: newId } }] },
    "user_id_update",
  );
  assertEquals(readEvents("whatsapp_cloud", field), [{
    kind: "number_change",
    oldAddress: oldId,
    newAddress: newId,
    isUserId: true,
  }]);
  const number = system(
    { type: "user_changed_number", wa_id: "12195555358", previous_user_id: oldId },
    { from: "16505551234" },
  );
  assertEquals(readEvents("whatsapp_cloud", number).map(({ newAddress }) => newAddress), [
    "12195555358",
    newId,
  ]);
  for (
    const none of [
      system({ type }),
      system({ type, previous_user_id: newId }),
      system({ type, previous_user_id: "5511977776666" }),
    ]
  ) {
    assertEquals(readEvents("whatsapp_cloud", none), []);
  }
});

Deno.test("a Cloud message names the message that it answers, and one that is only forwarded none", () => {
  const quoted = (context: unknown): unknown =>
    readEvent("whatsapp_cloud", cloudMessage({ type: "text", text: { body: "Sim" }, context }))
      ?.["quotedProviderMessageId"];
  assertEquals(quoted({ from: "15550783881", id: "wamid.Q" }), "wamid.Q");
  for (const context of [undefined, null, "wamid.Q", { forwarded: true }, { id: 7 }]) {
    assertEquals(quoted(context), undefined);
  }
  const inGroup = { type: "text", text: { body: "Sim" }, group_id: "Y2FwaV9ncm91cDox" };
  assertEquals(
    readEvent("whatsapp_cloud", cloudMessage({ ...inGroup, context: { id: "wamid.Q" } }))
      ?.["quotedProviderMessageId"],
    "wamid.Q",
  );
});
