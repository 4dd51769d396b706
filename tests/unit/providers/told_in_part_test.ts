/** What was told in part: each member of these payloads is a member of ours. */
import { assertEquals } from "../../support/assert.ts";
import {
  cloudChange,
  cloudMessage,
  evolutionEvent,
  evolutionMessage,
  readEvent,
  readEvents,
  zapiMessage,
} from "./event_payloads.ts";

type Json = Record<string, unknown>;

const evolution = (message: Json): Json | undefined =>
  readEvent("evolution", evolutionEvent("messages.upsert", evolutionMessage(message)));
const place = { latitude: -23.5, longitude: -46.6, name: "Loja", address: "Rua 1" };
const degrees = { degreesLatitude: -23.5, degreesLongitude: -46.6, name: "Loja", address: "Rua 1" };

Deno.test("a row's description belongs to the choice, on every channel", () => {
  const list = { listResponseMessage: { title: "Terça", message: "à tarde", selectedRowId: "t" } };
  const reply = {
    type: "list_reply",
    list_reply: { id: "t", title: "Terça", description: "à tarde" },
  };
  const params = { id: "t", title: "Terça", description: "à tarde" };
  const native = {
    body: { text: "Terça" },
    nativeFlowResponseMessage: { name: "single_select", paramsJson: JSON.stringify(params) },
  };
  const row = { singleSelectReply: { selectedRowId: "t" }, title: "Terça", description: "à tarde" };
  for (
    const event of [
      readEvent("zapi", zapiMessage(list)),
      readEvent("whatsapp_cloud", cloudMessage({ type: "interactive", interactive: reply })),
      evolution({ interactiveResponseMessage: native }),
      evolution({ listResponseMessage: row }),
    ]
  ) {
    assertEquals([event?.["messageType"], event?.["choice"]], ["option_list", params]);
  }
  const same = { listResponseMessage: { message: "Terça", selectedRowId: "t" } };
  assertEquals(readEvent("zapi", zapiMessage(same))?.["choice"], { id: "t", title: "Terça" });
});

Deno.test("Z-API: the hidden identity of a group's author, broadcast lists and an order's sums", () => {
  const group = { isGroup: true, phone: "120363-group", participantPhone: "5511911112222" };
  const [said] = readEvents("zapi", zapiMessage({ ...group, text: { message: "oi" } }));
  assertEquals(said?.["author"], {
    name: "Ana",
    phone: "5511911112222",
    lid: "81896604192873@lid",
  });
  const list = readEvent("zapi", zapiMessage({ broadcast: true, text: { message: "oi" } }));
  assertEquals(list?.["context"], { isBroadcast: true });
  for (const member of ["reviewAndPay", "reviewOrder"]) {
    const sums = { total: 12_500, subTotal: 12_000, discount: 500, shipping: 900, tax: 100 };
    const event = readEvent("zapi", zapiMessage({ [member]: { currency: "BRL", ...sums } }));
    assertEquals(event?.["payment"], {
      kind: "order",
      ...{
        amount: "125",
        subtotal: "120",
        discount: "5",
        shipping: "9",
        tax: "1",
        currency: "BRL",
      },
    });
  }
});

Deno.test("a location in a template's header is told, at both gateways", () => {
  const header = { location: place };
  const template = { header, message: "Estamos aqui", hydratedButtons: [] };
  const hydratedTemplate = { locationMessage: degrees, hydratedContentText: "Estamos aqui" };
  for (
    const event of [
      readEvent("zapi", zapiMessage({ hydratedTemplate: template })),
      evolution({ templateMessage: { hydratedTemplate } }),
      evolution({ buttonsMessage: { locationMessage: degrees, contentText: "Estamos aqui" } }),
      evolution({
        interactiveMessage: {
          header: { locationMessage: degrees },
          body: { text: "Estamos aqui" },
        },
      }),
    ]
  ) {
    assertEquals([event?.["location"], event?.["message"]], [place, "[menu] Estamos aqui"]);
  }
});

Deno.test("Evolution: a list of a native flow has its button and the titles of its sections", () => {
  const rows = [{ id: "a", header: "Manhã", title: "8 h", description: "cedo" }];
  const parameters = {
    title: "Horários",
    description: "Escolha",
    sections: [{ title: "Terça", rows }],
  };
  const buttons = [{ name: "single_select", buttonParamsJson: JSON.stringify(parameters) }];
  const menu = evolution({ interactiveMessage: { nativeFlowMessage: { buttons } } })?.["menu"];
  assertEquals(menu, {
    items: [
      { kind: "other", title: "Horários", description: "Escolha" },
      { kind: "other", title: "Terça" },
      { kind: "row", title: "8 h", id: "a", description: "cedo" },
    ],
  });
});

Deno.test("an ad's video and its picture are two members, on every channel", () => {
  const video = "https://a.example/v.mp4";
  const picture = "https://a.example/p.jpg";
  const cloud = {
    source_type: "ad",
    media_type: "video",
    video_url: video,
    thumbnail_url: picture,
  };
  const ad = { sourceType: "ad", mediaType: 2, mediaUrl: video, thumbnailUrl: picture };
  const text = { text: "oi", contextInfo: { externalAdReply: ad } };
  for (
    const event of [
      readEvent(
        "whatsapp_cloud",
        cloudMessage({ type: "text", text: { body: "oi" }, referral: cloud }),
      ),
      readEvent("zapi", zapiMessage({ text: { message: "oi" }, externalAdReply: ad })),
      evolution({ extendedTextMessage: text }),
    ]
  ) {
    const { videoUrl, imageUrl, mediaUrl } = event?.["referral"] as Json;
    assertEquals([videoUrl, imageUrl, mediaUrl], [video, picture, video]);
  }
});

Deno.test("official: the state of a payment is in the payer's history, each state once", () => {
  const amount = { value: 12_990, offset: 100 };
  const transaction = { id: "T1", type: "razorpay", status: "success", method: { type: "upi" } };
  const payment = { reference_id: "R1", amount, currency: "INR", transaction };
  const status = { id: "wamid.P", type: "payment", status: "captured", timestamp: "1749416383" };
  const read = (members: Json): Json[] =>
    readEvents("whatsapp_cloud", cloudChange({ statuses: [{ ...status, ...members }] }));
  const [event] = read({ recipient_id: "5511987654321", payment });
  assertEquals(event?.["payment"], {
    kind: "payment",
    ...{ amount: "129.9", currency: "INR", method: "upi", transactionId: "T1" },
    ...{ status: "captured", ...{ reference: "R1", referenceId: "R1" } },
  });
  assertEquals(
    [event?.["isUnreadable"], event?.["quotedProviderMessageId"], event?.["address"]],
    [true, "wamid.P", "5511987654321"],
  );
  const [again] = read({ recipient_id: "5511987654321", payment });
  const [failed] = read({ recipient_id: "5511987654321", status: "failed", payment });
  const ids = [event, again, failed].map((told) => told?.["providerMessageId"]);
  assertEquals([ids[0] === ids[1], ids[0] === ids[2]], [true, false]);
  assertEquals(read({ payment }), []);
});

Deno.test("official: a notice of a payment, and the card that a person has chosen", () => {
  const told = { reference_id: "R1", status: "captured" };
  for (const type of ["payment", "payment_notification"]) {
    const event = readEvent("whatsapp_cloud", cloudMessage({ type, [type]: told }));
    assertEquals(event?.["payment"], {
      kind: "payment",
      status: "captured",
      ...{ reference: "R1", referenceId: "R1" },
    });
    assertEquals(event?.["isUnreadable"], true);
  }
  const payment_method = {
    payment_method: "offsite_card_pay",
    payment_timestamp: 1_749_416_383,
    ...{ reference_id: "R1", last_four_digits: "1234", credential_id: "C1" },
  };
  const interactive = { type: "payment_method", payment_method };
  const event = readEvent("whatsapp_cloud", cloudMessage({ type: "interactive", interactive }));
  assertEquals(event?.["payment"], {
    kind: "payment",
    ...{ method: "offsite_card_pay", transactionId: "C1", lastDigits: "1234" },
    ...{ paidAt: "2025-06-08T20:59:43.000Z", ...{ reference: "R1", referenceId: "R1" } },
  });
});

Deno.test("official: the name of the person that an echo went to is a profile's", () => {
  const echo = { to: "5511987654321", id: "wamid.E", timestamp: "1749416383", type: "text" };
  const contacts = [{ profile: { name: "Ana" }, wa_id: "5511987654321" }];
  const value = { contacts, message_echoes: [{ ...echo, text: { body: "oi" } }] };
  const [sent, named] = readEvents("whatsapp_cloud", cloudChange(value, "smb_message_echoes"));
  assertEquals([sent?.["kind"], named?.["kind"], named?.["source"], named?.["name"]], [
    ...["message", "contact_name", "profile", "Ana"],
  ]);
});

Deno.test("official: cards say where they come from, and one that is a vCard alone has its name", () => {
  const vcard = "BEGIN:VCARD\nFN:Bia Souza\nTEL;waid=5511911112222:+55 11 91111-2222\nEND:VCARD";
  const read = (members: Json): unknown =>
    readEvent("whatsapp_cloud", cloudMessage({ type: "contacts", ...members }))?.["contacts"];
  const card = { name: "Bia Souza", phones: ["+55 11 91111-2222"] };
  assertEquals(read({ contacts: [{ vcard }] }), [card]);
  const origin = "contact_request";
  assertEquals(read({ contacts: [{ vcard, origin }] }), [{ ...card, origin }]);
  assertEquals(read({ origin, contacts: [{ vcard }] }), [{ ...card, origin }]);
});

Deno.test("official: parent ids identify a person, and a hidden author's username is told", () => {
  const message = { from: "BR.1a", id: "wamid.A", timestamp: "1749416383", type: "text" };
  const body = { text: { body: "oi" } };
  const parent = { from_parent_user_id: "BR.ENT.9z" };
  const [direct] = readEvents(
    "whatsapp_cloud",
    cloudChange({ messages: [{ ...message, ...body, ...parent }] }),
  );
  assertEquals([direct?.["address"], direct?.["otherAddresses"]], ["BR.1a", ["BR.ENT.9z"]]);
  const contacts = [{ user_id: "BR.1a", profile: { username: "@Ana.Maria" } }];
  const [said] = readEvents(
    "whatsapp_cloud",
    cloudChange({ contacts, messages: [{ ...message, ...body, group_id: "G1" }] }),
  );
  assertEquals(said?.["author"], { userId: "BR.1a", username: "ana.maria" });
  assertEquals(said?.["message"], "ana.maria: oi");
});

Deno.test("official: an account's limits and its volume tier are told", () => {
  const read = (value: Json): Json | undefined =>
    readEvents("whatsapp_cloud", {
      entry: [{
        id: "1",
        time: 1_739_321_024,
        changes: [{ field: "business_capability_update", value }],
      }],
    })[0];
  for (
    const [value, limit] of [
      [{ max_daily_conversations_per_business: 2000 }, "TIER_2K"],
      [{ max_daily_conversations_per_business: "TIER_100K" }, "TIER_100K"],
      [{ max_daily_conversation_per_phone: -1 }, "TIER_UNLIMITED"],
      [{ max_daily_conversation_per_phone: 250 }, "TIER_250"],
    ] as const
  ) {
    assertEquals([read(value)?.["kind"], read(value)?.["limit"]], ["limit", limit]);
  }
  const volume_tier_info = {
    ...{ tier: "25000001:50000000", pricing_category: "UTILITY", region: "INDIA" },
    effective_month: "2025-11",
  };
  const value = { event: "VOLUME_BASED_PRICING_TIER_UPDATE", volume_tier_info };
  const [tier] = readEvents("whatsapp_cloud", cloudChange(value, "account_update"));
  assertEquals([tier?.["change"], tier?.["effectiveAt"]], [
    "VOLUME_BASED_PRICING_TIER_UPDATE: UTILITY, INDIA, 25000001:50000000",
    "2025-11-01T00:00:00.000Z",
  ]);
});

Deno.test("Cloud: a status that holds a parent user id tells the recipient's identities, in both spellings", () => {
  const status = { id: "wamid.P", status: "delivered", timestamp: "1749416383" };
  const parent = "BR.ENT.999";
  const cases: readonly (readonly [Json, Json[], string[] | undefined])[] = [
    [
      {
        recipient_id: "5511987654321",
        recipient_user_id: "BR.1",
        recipient_parent_user_id: parent,
      },
      [],
      ["5511987654321", "BR.1", parent],
    ],
    [{ recipient_user_id: "BR.1", parent_recipient_user_id: parent }, [], ["BR.1", parent]],
    [
      { recipient_user_id: "BR.1" },
      [{ user_id: "BR.1", parent_user_id: parent, profile: { username: "ana" } }],
      ["BR.1", parent],
    ],
    [{ recipient_id: "5511987654321", recipient_user_id: "BR.1" }, [], undefined],
    [
      { recipient_id: "120@g.us", recipient_type: "group", recipient_parent_user_id: parent },
      [],
      undefined,
    ],
  ];
  for (const [members, contacts, expected] of cases) {
    const [told, addresses, ...more] = readEvents(
      "whatsapp_cloud",
      cloudChange({ contacts, statuses: [{ ...status, ...members }] }),
    );
    assertEquals([told?.["kind"], more], ["status", []]);
    const [address, ...otherAddresses] = expected ?? [];
    assertEquals(addresses, expected && { kind: "addresses", address, otherAddresses });
  }
});

Deno.test("Z-API: what the business sent by a broadcast list is told in the chat of each person, and the list is nobody's chat", () => {
  const sent = { fromMe: true, fromApi: false, broadcast: true, text: { message: "oi" } };
  const echo = readEvent("zapi", zapiMessage(sent));
  assertEquals([echo?.["origin"], echo?.["context"]], ["echo", { isBroadcast: true }]);
  const phones = ["1795438800-broadcast", "1795438800@broadcast", "status@broadcast"];
  for (const list of phones) {
    assertEquals(readEvents("zapi", zapiMessage({ ...sent, phone: list })), []);
  }
});
