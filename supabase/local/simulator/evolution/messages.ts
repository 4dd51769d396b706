import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";

export type SendVerb =
  | "sendText"
  | "sendMedia"
  | "sendWhatsAppAudio"
  | "sendSticker"
  | "sendLocation"
  | "sendContact"
  | "sendList"
  | "sendButtons"
  | "sendReaction";

/** A validated send, in the same form for every verb. */
export interface EvolutionSend {
  readonly number: string;
  /** Typing (or recording) shown before the message, in milliseconds. */
  readonly delayMs: number;
  readonly replyTo: string | null;
  readonly content: SimulatedContent;
  /** The `message` and `messageType` of the answer. */
  readonly wireMessage: Record<string, unknown>;
  readonly wireType: string;
  /** Of a reaction: the key of its message. With a wrong `fromMe` no phone shows it. */
  readonly reactsTo?: { readonly id: string; readonly fromMe: boolean };
}

const envelope = {
  number: z.string(),
  delay: z.int().optional(),
  quoted: z.object({ key: z.object({ id: z.string().min(1) }) }).optional(),
};
const nonEmpty = z.string().min(1);
// A URL or the file as plain base64. The real server refuses the `data:` prefix too.
const media = z.string().regex(
  /^(https?:\/\/.+|[A-Za-z0-9+/]+=*)$/,
  "Owned media must be a url or base64",
);

const text = z.object({ ...envelope, text: nonEmpty, linkPreview: z.boolean().optional() })
  .transform((body) =>
    describeSend(body, fillContent({ messageType: "text", text: body.text }), {
      conversation: body.text,
    })
  );

const mediaFile = z.object({
  ...envelope,
  mediatype: z.enum(["image", "document", "video", "audio"]),
  media,
  mimetype: z.string().optional(),
  fileName: z.string().optional(),
  caption: z.string().optional(),
}).transform((body) => {
  const content = fillContent({
    messageType: body.mediatype,
    mediaUrl: body.media,
    text: body.caption ?? null,
    fileName: body.fileName ?? null,
  });
  const { mimetype, fileName, caption } = body;
  return describeSend(body, content, {
    [`${body.mediatype}Message`]: { url: body.media, mimetype, fileName, caption },
  });
});

const audio = z.object({ ...envelope, audio: media }).transform((body) =>
  describeSend(body, fillContent({ messageType: "audio", mediaUrl: body.audio }), {
    audioMessage: { url: body.audio, mimetype: "audio/ogg; codecs=opus", ptt: true },
  })
);

const sticker = z.object({ ...envelope, sticker: media }).transform((body) =>
  describeSend(body, fillContent({ messageType: "sticker", mediaUrl: body.sticker }), {
    stickerMessage: { url: body.sticker, mimetype: "image/webp" },
  })
);

const location = z.object({
  ...envelope,
  latitude: z.number(),
  longitude: z.number(),
  name: nonEmpty,
  address: nonEmpty,
}).transform((body) => {
  const { latitude, longitude, name, address } = body;
  const parts = { location: { latitude, longitude, name, address } };
  return describeSend(body, fillContent({ messageType: "location", parts }), {
    locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address },
  });
});

const contact = z.object({
  ...envelope,
  contact: z.array(z.object({
    fullName: nonEmpty,
    phoneNumber: z.string().min(10),
    wuid: z.string().optional(),
    organization: z.string().optional(),
    email: z.string().optional(),
    url: z.string().optional(),
  })).min(1),
}).transform((body) => {
  const contacts = body.contact.map(({ fullName, phoneNumber, organization, email, url }) => ({
    name: fullName,
    phones: [phoneNumber],
    ...(organization === undefined ? {} : { organization }),
    ...(email === undefined ? {} : { emails: [email] }),
    ...(url === undefined ? {} : { urls: [url] }),
  }));
  const content = fillContent({ messageType: "contacts", parts: { contacts } });
  return describeSend(body, content, {
    contactsArrayMessage: { displayName: `${contacts.length} contacts`, contacts: body.contact },
  });
});

const reply = z.object({ type: z.literal("reply"), displayText: nonEmpty, id: nonEmpty });
const link = z.object({ type: z.literal("url"), displayText: nonEmpty, url: z.url() });

const buttons = z.object({
  ...envelope,
  title: z.string(),
  description: z.string().optional(),
  footer: z.string().optional(),
  thumbnailUrl: z.string().optional(),
  // Replies are never mixed with others.
  buttons: z.union([z.array(reply).min(1).max(3), z.array(link).length(1)]),
}).transform((body) => {
  const { title, description, footer, thumbnailUrl } = body;
  const replies = body.buttons.flatMap((button) =>
    button.type === "reply" ? [{ id: button.id, title: button.displayText }] : []
  );
  const [first] = body.buttons;
  const parts = {
    ...(first?.type === "url"
      ? { linkButton: { title: first.displayText, url: first.url } }
      : { buttons: replies }),
    ...(title === "" ? {} : { header: title }),
    ...(footer === undefined ? {} : { footer }),
    ...(thumbnailUrl === undefined ? {} : { headerType: "image" as const }),
  };
  const content = fillContent({
    messageType: first?.type === "url" ? "link_button" : "buttons",
    text: description ?? null,
    mediaUrl: thumbnailUrl ?? null,
    parts,
  });
  return describeSend(body, content, {
    viewOnceMessage: { message: { interactiveMessage: { body: { text: description } } } },
  });
});

const list = z.object({
  ...envelope,
  title: z.string(),
  description: z.string().optional(),
  footerText: z.string(),
  buttonText: z.string(),
  sections: z.array(z.object({
    title: nonEmpty,
    rows: z.array(
      z.object({ title: nonEmpty, rowId: nonEmpty, description: nonEmpty.optional() }),
    ).min(1),
  })).min(1),
}).transform((body) => {
  const options = body.sections.flatMap((section) => section.rows).map((row) => ({
    id: row.rowId,
    title: row.title,
    description: row.description ?? null,
  }));
  const content = fillContent({
    messageType: "option_list",
    text: body.description ?? null,
    optionList: { title: body.title, buttonLabel: body.buttonText, options },
  });
  const { title, description, buttonText, footerText, sections } = body;
  return describeSend(body, content, {
    listMessage: { title, description, buttonText, footerText, listType: 1, sections },
  });
});

/** A reaction has no number: its key names the chat. */
const reaction = z.object({
  key: z.object({ id: nonEmpty, remoteJid: nonEmpty, fromMe: z.boolean() }),
  reaction: z.string(),
}).transform(({ key, reaction: emoji }) => ({
  ...describeSend(
    { number: key.remoteJid },
    fillContent({
      messageType: "reaction",
      parts: { reaction: { providerMessageId: key.id, emoji: emoji === "" ? null : emoji } },
    }),
    { reactionMessage: { key, text: emoji } },
  ),
  reactsTo: key,
}));

/** The request schema of each verb (`src/validate/message.schema.ts` of Evolution API). */
export const sendSchemas: Readonly<Record<SendVerb, z.ZodType<EvolutionSend>>> = {
  sendText: text,
  sendMedia: mediaFile,
  sendWhatsAppAudio: audio,
  sendList: list,
  sendSticker: sticker,
  sendLocation: location,
  sendContact: contact,
  sendButtons: buttons,
  sendReaction: reaction,
};

function describeSend(
  body: {
    readonly number: string;
    readonly delay?: number | undefined;
    readonly quoted?: { readonly key: { readonly id: string } } | undefined;
  },
  content: SimulatedContent,
  wireMessage: Record<string, unknown>,
): EvolutionSend {
  return {
    number: body.number,
    delayMs: body.delay ?? 0,
    replyTo: body.quoted?.key.id ?? null,
    content,
    wireMessage,
    wireType: Object.keys(wireMessage)[0] ?? "conversation",
  };
}

/**
 * The number to which Evolution sends, as digits. Mexican and Argentine mobiles lose the digit
 * after the country code. Brazilian mobiles with area code 31 and above lose their ninth digit.
 */
export function createAddress(number: string): string {
  const digits = (number.split(/[@:]/)[0] ?? "").replace(/\D/g, "");
  if (/^5[24]\d{11}$/.test(digits)) return digits.slice(0, 2) + digits.slice(3);
  const brazilian = /^55(\d{2})\d(\d)\d{7}$/.exec(digits);
  if (brazilian === null) return digits;
  const keepsNinthDigit = Number(brazilian[1]) < 31 || Number(brazilian[2]) < 7;
  return keepsNinthDigit ? digits : digits.slice(0, 4) + digits.slice(5);
}
