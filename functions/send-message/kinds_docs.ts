/** What each kind of message needs, an example of it, and what happens outside the window of 24 hours. */
import { demoReceivedMessageId } from "../../shared/openapi/demo_fixtures.ts";
import { fieldsOf } from "../../shared/model/message_content.ts";
import {
  listFields,
  type SendableType,
  sendableTypes,
} from "../../shared/model/message_request.ts";

/** The words by which people look for each kind, and what to know beyond its fields. */
const kinds: { readonly [Type in SendableType]: string } = {
  text: "Text.",
  image: "Picture, photo.",
  video: "Film, clip.",
  audio: "Sound file, music. Carries no caption: `message` is refused.",
  document: "File, PDF, attachment.",
  sticker: "Sticker.",
  voice: "Voice message, voice note: shown as recorded in the chat.",
  location: "Place, address, position on the map.",
  contacts: "Contact cards, vCard.",
  option_list: "List with or without sections, menu.",
  buttons: "Reply buttons, quick replies; with a header and a footer.",
  link_button: "Button with a link (URL, call to action).",
  location_request: "Asks for the position.",
  contact_request:
    'Asks a person who hides the phone number for it. The official channel alone: `{"messageType": "contact_request", "message": "Qual é o seu número?"}`.',
  payment_request:
    "Pix, payment link or boleto (Brazil): see docs/payments.md. What the channel cannot show goes as text, and the Pix code in a message of its own.",
  reaction:
    "Emoji at a message. Goes at once, pauses no agent, and is told by `message.reaction` alone.",
};

const requirementRows = sendableTypes.map((type) => {
  const needs = fieldsOf(type).needs.map(nameField);
  const may = listFields(type).filter((name) => !needs.includes(nameField(name)))
    .map((name) => `\`${name}\``);
  return `| \`${type}\` | ${needs.join(" and ")} | ${[...new Set(may)].join(", ")} | ${
    kinds[type]
  } |`;
});

/** A file is named by its address or by its id. */
function nameField(name: string): string {
  return name === "mediaUrl" || name === "mediaId" ? "`mediaUrl` or `mediaId`" : `\`${name}\``;
}

/** What `messageType` requires, as a table. */
export const requirementsSection = `### What each kind requires

\`messageType\` is required when there is content. \`mediaId\` is the id of a file that media-api keeps.

| \`messageType\` | Requires | May have | What it is |
| --- | --- | --- | --- |
${requirementRows.join("\n")}`;

/** The rungs of `outsideWindow`, with an example. */
export const outsideWindowSection = `### Outside the window: \`outsideWindow\`

The official channel takes free messages only within 24 hours of the person's last message. Where that is over, or no message of the person is known, a call is refused with 409 \`outside_conversation_window\`. \`outsideWindow\` says what to do instead: one to five rungs, tried from the first. While the window is open, and on gateways, which have none, the message goes as it is.

| Rung | What happens | Where it cannot be taken |
| --- | --- | --- |
| \`directSend: "utility"\` | The message goes without a template, billed as utility: a text, buttons or a link button. | The instance has no \`directSend\`, or the channel refuses it. |
| \`template\` | This template goes in the message's place. \`{{message}}\` in a variable stands for the text. | The template is not approved, lacks a variable, or is marketing that the person has denied. |
| \`invite\` | This template goes now, and the message waits until the person writes (\`heldBy: awaiting_reply\`), for 72 hours unless \`expiresAt\` says otherwise. | As for \`template\`, or an invitation is open. |

A rung that cannot be taken gives way to the next. When none is left, \`details.rungs\` of the refusal says why of each. The response's \`sentAs\` says how the message went.

\`\`\`json
{
  "messageType": "text",
  "message": "Seu pedido 4711 saiu para entrega.",
  "outsideWindow": [
    { "template": { "name": "aviso_pedido", "language": "pt_BR", "variables": { "texto": "{{message}}" } } },
    { "invite": { "name": "convite", "language": "pt_BR" } }
  ]
}
\`\`\``;

/** A message that is sent immediately; `response` has what its answer has beyond a text's. */
export interface KindExample {
  readonly name: string;
  readonly summary: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly messageType: SendableType };
  readonly response?: Readonly<Record<string, unknown>>;
}

const files = "https://cdn.example.com";

/** The kinds that no other example of the operation shows, but `contact_request`. */
export const kindExamples: readonly KindExample[] = [
  {
    name: "video",
    summary: "A video (film, clip) with a caption",
    request: { messageType: "video", mediaUrl: `${files}/tour.mp4`, message: "Conheça a loja" },
  },
  {
    name: "audio",
    summary: "An audio file (sound, music)",
    request: { messageType: "audio", mediaUrl: `${files}/jingle.mp3` },
  },
  {
    name: "voice",
    summary: "A voice message (voice note)",
    request: { messageType: "voice", mediaUrl: `${files}/recado.ogg` },
  },
  {
    name: "document",
    summary: "A document (file, PDF) with its name",
    request: {
      messageType: "document",
      mediaUrl: `${files}/invoice-1039.pdf`,
      mediaFilename: "invoice-1039.pdf",
      message: "Sua nota fiscal",
    },
  },
  {
    name: "sticker",
    summary: "A sticker",
    request: { messageType: "sticker", mediaUrl: `${files}/obrigado.webp` },
  },
  {
    name: "location",
    summary: "A location (place, address, position on the map)",
    request: {
      messageType: "location",
      location: {
        latitude: -23.5614,
        longitude: -46.6559,
        name: "Loja da Paulista",
        address: "Av. Paulista, 1578",
      },
    },
  },
  {
    name: "contacts",
    summary: "A contact card (vCard)",
    request: {
      messageType: "contacts",
      contacts: [{ name: "Suporte", phones: ["551140001234"] }],
    },
  },
  {
    name: "link_button",
    summary: "A button with a link (URL)",
    request: {
      messageType: "link_button",
      message: "Acompanhe o seu pedido",
      linkButton: { title: "Ver pedido", url: "https://shop.example.com/orders/4711" },
    },
    response: { rendering: "native" },
  },
  {
    name: "location_request",
    summary: "A request for the person's location",
    request: { messageType: "location_request", message: "Onde entregamos?" },
    response: { rendering: "text" },
  },
  {
    name: "payment_request",
    summary: "A request to pay by Pix",
    request: {
      messageType: "payment_request",
      message: "Pedido 812",
      payment: {
        reference: "ped-812",
        amount: "129.90",
        pix: {
          key: "12345678909",
          keyType: "cpf",
          merchantName: "Loja Modelo",
          merchantCity: "São Paulo",
        },
      },
    },
    response: {
      rendering: "text",
      payment: {
        reference: "ped-812",
        status: "pending",
        pixCode:
          "00020101021126330014br.gov.bcb.pix0111123456789095204000053039865406129.905802BR5911Loja Modelo6009Sao Paulo62100506ped812630405E1",
      },
    },
  },
  {
    name: "reaction",
    summary: "A reaction (emoji) to a message",
    request: {
      messageType: "reaction",
      reaction: { messageId: demoReceivedMessageId, emoji: "👍" },
    },
  },
];
