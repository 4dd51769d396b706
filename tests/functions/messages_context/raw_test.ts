import type * as z from "zod";
import { fileAddressNames } from "../../../functions/messages-context/raw_messages.ts";
import { partSchemas } from "../../../shared/model/content_parts.ts";
import { assertEquals, assertFalse } from "../../support/assert.ts";
import { createContextClient } from "./context_client.ts";

const link = "https://cdn.example.com/a/invoice.pdf";

/** What a message has when nobody says it. */
const nothingMore = {
  ...{ createdAt: 0, conversationId: 0, batchId: null, metadata: {}, channelStatus: null },
  ...{ quotedMessageId: null, quotedProviderMessageId: null, author: null, isTypedOnPhone: false },
  handledBy: "us",
  ...{ scheduledFor: null, attempts: 0, lastError: null, editedAt: null, deletedAt: null },
  ...{
    mediaMimeType: null,
    mediaSize: null,
    purpose: "service",
    pricing: null,
    estimatedCost: null,
  },
};

Deno.test("a raw row tells the message as it is kept, in the instance's time", async () => {
  await using client = await createContextClient({ timeZone: "America/Sao_Paulo" });
  const contact = await client.createContact();
  const { admin } = client.testDatabase;
  const sent = await client.write(contact, {
    direction: "outbound",
    message_type: "document",
    status: "read",
    message: "Segue",
    content: admin.json({ mediaUrl: link, mediaFilename: "boleto.pdf" }),
    card_id: "card-7",
    sent_by: "automation",
    provider_message_id: "wamid.1",
    sent_at: "2026-03-10T12:00:00.5Z",
    delivered_at: "2026-03-10T12:00:02Z",
    read_at: "2026-03-10T12:05:00Z",
  });
  const chosen = await client.write(contact, {
    message_type: "option_list",
    content: admin.json({ choice: { id: "2", title: "Tarde" } }),
    chat_name: "Ana",
    is_group: true,
    sent_at: "2026-03-10T13:00:00Z",
  });
  const { instanceId, gatewayInstanceId } = client.tenant;
  const answer = await client.read({ format: "raw" });
  const shown = answer.body.messages.map((row: Record<string, unknown>) => ({
    ...row,
    createdAt: 0,
    conversationId: 0,
  }));
  assertEquals({ ...answer.body, messages: shown }, {
    success: true,
    phone: "5511988887777",
    period: { start: "2026-03-01", end: "2026-03-31" },
    totalMessages: 2,
    hasMore: false,
    contact: {
      ...{ contactId: contact.contactId, phone: "5511988887777", name: null },
      ...{ userId: null, username: null, lid: null },
    },
    messages: [
      {
        ...nothingMore,
        messageId: sent,
        messageType: "document",
        isGroup: false,
        chatName: null,
        cardId: "card-7",
        sentBy: "automation",
        providerMessageId: "wamid.1",
        direction: "outbound",
        status: "read",
        message: "Segue",
        mediaUrl: link,
        mediaId: null,
        mediaStatus: null,
        mediaFilename: "boleto.pdf",
        transcript: null,
        optionList: null,
        choice: null,
        template: null,
        sentAt: "2026-03-10T12:00:00.500Z",
        deliveredAt: "2026-03-10T12:00:02.000Z",
        readAt: "2026-03-10T12:05:00.000Z",
      },
      {
        ...nothingMore,
        messageId: chosen,
        messageType: "option_list",
        isGroup: true,
        chatName: "Ana",
        cardId: null,
        sentBy: null,
        providerMessageId: null,
        direction: "inbound",
        status: "received",
        message: null,
        mediaUrl: null,
        mediaId: null,
        mediaStatus: null,
        mediaFilename: null,
        transcript: null,
        optionList: null,
        choice: { id: "2", title: "Tarde" },
        template: null,
        sentAt: "2026-03-10T13:00:00.000Z",
        deliveredAt: null,
        readAt: null,
      },
    ],
    instanceInfo: { instanceId, gatewayInstanceId },
  });
});

Deno.test("raw without meta drops what identifies or tags a message, and nothing of its content", async () => {
  await using client = await createContextClient();
  await client.write(await client.createContact(), {
    direction: "outbound",
    message: "Oi",
    card_id: "card-7",
    provider_message_id: "wamid.1",
  });
  const answer = await client.read({ format: "raw", includeMeta: "false" });
  assertEquals(Object.keys(answer.body.messages[0]), [
    ...["direction", "status", "message", "mediaUrl", "mediaId", "mediaStatus"],
    ...["mediaFilename", "mediaMimeType", "mediaSize", "transcript", "optionList"],
    ...["choice", "template", "sentAt", "deliveredAt", "readAt"],
  ]);
});

Deno.test("attachments=false hides media URLs in raw rows and inside templates", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  const { admin } = client.testDatabase;
  const body = { type: "body", parameters: [{ type: "text", text: "Ana" }] };
  const template = {
    name: "boleto",
    language: "pt_BR",
    components: [
      { type: "header", parameters: [{ type: "document", document: { link, filename: "a.pdf" } }] },
      body,
    ],
  };
  await client.write(contact, {
    direction: "outbound",
    message_type: "template",
    message: "Olá, Ana.",
    content: admin.json({ template }),
    sent_at: "2026-03-10T12:00:00Z",
  });
  await client.write(contact, {
    direction: "outbound",
    message_type: "document",
    message: "Segue",
    content: admin.json({ mediaUrl: link, mediaFilename: "boleto.pdf" }),
    sent_at: "2026-03-10T12:00:01Z",
  });
  const shown = (await client.read({ format: "raw" })).body.messages;
  assertEquals([shown[0].template, shown[1].mediaUrl], [template, link]);
  const answer = await client.read({ format: "raw", attachments: "false" });
  assertFalse(answer.text.includes("cdn.example.com"));
  const [templated, document] = answer.body.messages;
  assertEquals(templated.template, {
    ...template,
    components: [
      { type: "header", parameters: [{ type: "document", document: { filename: "a.pdf" } }] },
      body,
    ],
  });
  assertEquals([document.message, document.mediaUrl, document.mediaFilename], [
    "Segue",
    null,
    "boleto.pdf",
  ]);
});

Deno.test("attachments=false hides the pictures of ads, products and menus, and nothing that is no file", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  const { admin } = client.testDatabase;
  const file = "https://cdn.example.com/a";
  const page = "https://shop.example.com/p";
  const parts = {
    referral: { sourceUrl: page, headline: "Tênis" },
    product: { productId: "7", url: page },
    menu: { title: "Ofertas", items: [{ kind: "link", title: "Ver", url: page }] },
    payment: { kind: "request", reference: "P7", link: page },
    flowAnswer: { name: "cadastro", data: { link: page, mediaUrl: page } },
  };
  const { referral, product, menu, payment, flowAnswer } = parts;
  await client.write(contact, {
    message: "Oi",
    content: admin.json({
      referral: { ...referral, mediaUrl: file, imageUrl: file, videoUrl: file },
      product: { ...product, imageUrl: file },
      menu: { ...menu, mediaUrl: file },
      ...{ payment, flowAnswer },
    }),
    sent_at: "2026-03-10T12:00:00Z",
  });
  const [shown] = (await client.read({ format: "raw" })).body.messages;
  assertEquals(shown.referral.videoUrl, file);
  const [hidden] = (await client.read({ format: "raw", attachments: "false" })).body.messages;
  const names = Object.keys(parts);
  assertEquals(Object.fromEntries(names.map((name) => [name, hidden[name]])), parts);
});

Deno.test("every address in the parts of a message is known as one of a file or of a page", () => {
  const pages = [
    ...["location.url", "contacts.urls", "product.url", "payment.link", "event.url"],
    ...["menu.items.url", "preview.url", "referral.sourceUrl", "linkButton.url"],
  ];
  const found = Object.entries(partSchemas).flatMap(([name, schema]) =>
    listAddresses(schema, name)
  );
  const others = found.filter((path) => !fileAddressNames.includes(path.split(".").at(-1) ?? ""));
  assertEquals(others.sort(), pages.sort());
});

/** The paths of members that are named as an address. */
function listAddresses(schema: z.ZodType, path: string): string[] {
  const { innerType, element, shape } = schema.def as {
    readonly innerType?: z.ZodType;
    readonly element?: z.ZodType;
    readonly shape?: Readonly<Record<string, z.ZodType>>;
  };
  const inner = innerType ?? element;
  if (inner !== undefined) return listAddresses(inner, path);
  return Object.entries(shape ?? {}).flatMap(([name, member]) => [
    ...(/(?:url|urls|link|links)$/i.test(name) ? [`${path}.${name}`] : []),
    ...listAddresses(member, `${path}.${name}`),
  ]);
}
