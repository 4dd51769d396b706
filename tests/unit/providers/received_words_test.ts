/** The words of what arrives stay: long ones, those of kinds that are not known, those in a carousel. */
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import {
  cloudChange,
  cloudMessage,
  evolutionEvent,
  evolutionMessage,
  readEvent,
  zapiMessage,
} from "./event_payloads.ts";

type Json = Record<string, unknown>;

const long = `${"Uma frase de um anúncio. ".repeat(40)}Fim.`;

const evolution = (message: Json): Json =>
  evolutionEvent("messages.upsert", evolutionMessage(message));

const longTexts: readonly (readonly [ProviderKind, Json, part: string, member: string])[] = [
  [
    "whatsapp_cloud",
    { type: "text", text: { body: "Oi" }, referral: { body: long } },
    "referral",
    "body",
  ],
  [
    "zapi",
    { text: { message: "Oi" }, externalAdReply: { sourceType: "ad", body: long } },
    "referral",
    "body",
  ],
  ["zapi", { hydratedTemplate: { message: long, hydratedButtons: [] } }, "menu", "body"],
  ["zapi", { event: { name: "Festa", description: long } }, "event", "description"],
  ["zapi", { poll: { question: long, options: [] } }, "poll", "question"],
  ["zapi", { product: { title: "Café", description: long } }, "product", "description"],
  ["evolution", { interactiveMessage: { body: { text: long } } }, "menu", "body"],
  ["evolution", { pollCreationMessage: { name: long, options: [] } }, "poll", "question"],
  ["evolution", { listMessage: { description: long } }, "menu", "body"],
];

for (const [kind, members, part, member] of longTexts) {
  Deno.test(`${kind}: ${part}.${member} of ${Object.keys(members)} is whole, however long`, () => {
    const payload = kind === "whatsapp_cloud"
      ? cloudMessage(members)
      : kind === "zapi"
      ? zapiMessage(members)
      : evolution(members);
    const event = readEvent(kind, payload);
    assertEquals((event?.[part] as Json)[member], long);
  });
}

Deno.test("the words of a message of an unknown official kind stay, and ask the agent", () => {
  const event = readEvent(
    "whatsapp_cloud",
    cloudMessage({ type: "hologram", hologram: { text: "Oi do futuro", id: "7" } }),
  );
  assertEquals(event?.["messageType"], "other");
  assertEquals(event?.["message"], "[hologram] Oi do futuro");
  assertEquals(event?.["isUnreadable"], undefined);
  const empty = readEvent("whatsapp_cloud", cloudMessage({ type: "hologram", hologram: 7 }));
  assertEquals([empty?.["message"], empty?.["isUnreadable"]], ["[hologram]", true]);
});

Deno.test("what a person writes beside a position, an invitation and a product stays", () => {
  const at = { degreesLatitude: 1.5, degreesLongitude: 2 };
  const live = readEvent(
    "evolution",
    evolution({ liveLocationMessage: { ...at, caption: "Estou a caminho" } }),
  );
  assertEquals(live?.["message"], "[location] 1.5 2, Estou a caminho");
  const place = readEvent(
    "evolution",
    evolution({ locationMessage: { ...at, name: "Loja", comment: "Aqui" } }),
  );
  assertEquals(place?.["message"], "[location] Loja, 1.5 2, Aqui");
  const invitation = readEvent(
    "evolution",
    evolution({ groupInviteMessage: { groupName: "Clientes", caption: "Entra aí" } }),
  );
  assertEquals(invitation?.["message"], "[group invitation] Clientes, Entra aí");
  const product = readEvent(
    "evolution",
    evolution({ productMessage: { product: { title: "Café" }, body: "Ainda tem?" } }),
  );
  assertEquals(product?.["message"], "[product] Café, Ainda tem?");
});

const cardButtons = [
  { index: 0, urlButton: { displayText: "Abrir", url: "https://loja.example/1" } },
  { index: 1, quickReplyButton: { displayText: "Quero", id: "q" } },
];
const flowButtons = [
  {
    name: "cta_url",
    buttonParamsJson: JSON.stringify({ display_text: "Abrir", url: "https://loja.example/1" }),
  },
  { name: "quick_reply", buttonParamsJson: JSON.stringify({ display_text: "Quero", id: "q" }) },
];

Deno.test("a carousel of another business has its cards and their links, in their order", () => {
  const told = {
    body: "Ofertas",
    mediaUrl: "https://loja.example/1.jpg",
    items: [
      { kind: "other", title: "Café", description: "Torrado ontem" },
      { kind: "link", title: "Abrir", url: "https://loja.example/1" },
      { kind: "reply", title: "Quero", id: "q" },
      { kind: "other", title: "Só o texto" },
    ],
  };
  const words =
    "[menu] Ofertas, Café Torrado ontem, Abrir https://loja.example/1, Quero, Só o texto";
  const zapi = readEvent(
    "zapi",
    zapiMessage({
      carouselMessage: {
        text: "Ofertas",
        cards: [
          {
            header: { image: { imageUrl: "https://loja.example/1.jpg" } },
            title: "Café",
            message: "Torrado ontem",
            footer: "",
            hydratedButtons: cardButtons,
          },
          { message: "Só o texto", title: "", hydratedButtons: [] },
          null,
        ],
      },
    }),
  );
  assertEquals([zapi?.["menu"], zapi?.["message"]], [told, words]);
  const gateway = readEvent(
    "evolution",
    evolution({
      interactiveMessage: {
        body: { text: "Ofertas" },
        carouselMessage: {
          cards: [
            {
              header: { title: "Café", imageMessage: { url: "https://loja.example/1.jpg" } },
              body: { text: "Torrado ontem" },
              nativeFlowMessage: { buttons: flowButtons },
            },
            { body: { text: "Só o texto" } },
            null,
          ],
        },
      },
    }),
  );
  assertEquals([gateway?.["menu"], gateway?.["message"]], [told, words]);
});

Deno.test("what is no object among an order's products is left out", () => {
  const cloud = cloudMessage({
    type: "order",
    order: { product_items: [null, 7, "x", { product_retailer_id: "r" }] },
  });
  assertEquals(readEvent("whatsapp_cloud", cloud)?.["order"], { items: [{ productId: "r" }] });
  const zapi = zapiMessage({ order: { products: [null, 7, { retailerId: "r" }] } });
  assertEquals(readEvent("zapi", zapi)?.["order"], { items: [{ productId: "r" }] });
});

Deno.test("a contact's file that only its phone shows, once, is told without its content", () => {
  const hidden = { waitingMessage: true, viewOnce: true };
  const event = readEvent("zapi", zapiMessage(hidden));
  assertEquals(
    ["messageType", "message", "isViewOnce", "isUnreadable"].map((name) => event?.[name]),
    ["other", "[view once]", true, true],
  );
  assertEquals(readEvent("zapi", zapiMessage({ ...hidden, fromMe: true })), undefined);
  assertEquals(readEvent("zapi", zapiMessage({ waitingMessage: true })), undefined);
});

/** What a database refuses in a text. */
const strange = "a\0b\uD800c";

Deno.test("what a card, an error, a limit and a refused history say can be stored, whatever is in it", () => {
  const vCard = `BEGIN:VCARD\nFN:Ana\nTEL;waid=55119${strange}:+55 11 98888-7777\nEND:VCARD`;
  const events = [
    readEvent("zapi", zapiMessage({ contact: { displayName: "Ana", vCard } })),
    readEvent(
      "whatsapp_cloud",
      cloudMessage({ type: "unsupported", errors: [{ code: 1, title: "x", details: strange }] }),
    ),
    readEvent(
      "whatsapp_cloud",
      cloudChange(
        { display_phone_number: strange, event: "UPGRADE", current_limit: "TIER_2K" },
        "phone_number_quality_update",
      ),
    ),
    readEvent(
      "whatsapp_cloud",
      cloudChange({ history: [{ errors: [{ code: strange, title: "x" }] }] }, "history"),
    ),
  ];
  for (const event of events) {
    assert(event !== undefined);
    const texts: string[] = [];
    JSON.stringify(event, (_name, value) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
    assertEquals(texts.filter((text) => text.includes("\0") || !text.isWellFormed()), []);
  }
  assertEquals((events[0]?.["contacts"] as readonly Json[])[0]?.["phones"], ["+55 11 98888-7777"]);
});
