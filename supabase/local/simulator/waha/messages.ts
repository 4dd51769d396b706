/** The request bodies of WAHA's sends (page Send messages). */
import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";
import { bareIdOf } from "./ids.ts";

/** A validated send, in the same form for every verb. */
export interface WahaSend {
  readonly session: string;
  readonly chatId: string;
  readonly replyTo: string | null;
  readonly content: SimulatedContent;
}

const nonEmpty = z.string().min(1);
const envelope = {
  session: nonEmpty,
  chatId: z.string().regex(/^[^@\s]+@(?:c\.us|lid|g\.us|newsletter)$/, "is no chat id"),
  reply_to: z.string().nullish(),
};
const file = z.object({
  mimetype: nonEmpty,
  url: z.url(),
  filename: z.string().optional(),
});

type Envelope = z.infer<z.ZodObject<typeof envelope>>;

function describe({ session, chatId, reply_to }: Envelope, content: SimulatedContent): WahaSend {
  const replyTo = reply_to === undefined || reply_to === null ? null : bareIdOf(reply_to);
  return { session, chatId, replyTo, content };
}

const text = z.object({ ...envelope, text: nonEmpty, linkPreview: z.boolean().optional() })
  .transform((body) => describe(body, fillContent({ messageType: "text", text: body.text })));

function fileSend(
  messageType: "image" | "video" | "document" | "audio" | "sticker",
): z.ZodType<WahaSend> {
  return z.object({
    ...envelope,
    file,
    caption: z.string().optional(),
    convert: z.boolean().optional(),
  }).transform((body) =>
    describe(
      body,
      fillContent({
        messageType,
        mediaUrl: body.file.url,
        fileName: body.file.filename ?? null,
        text: body.caption ?? null,
      }),
    )
  );
}

const location = z.object({
  ...envelope,
  latitude: z.number(),
  longitude: z.number(),
  title: z.string(),
}).transform((body) => {
  const { latitude, longitude, title: name } = body;
  const parts = { location: { latitude, longitude, name } };
  return describe(body, fillContent({ messageType: "location", parts }));
});

/** The name and the phones of a vCard. */
function readCard(vcard: string): { name: string; phones: string[] } {
  const lines = vcard.split("\n");
  const valueOf = (line: string): string => line.slice(line.indexOf(":") + 1);
  return {
    name: valueOf(lines.find((line) => line.startsWith("FN:")) ?? "FN:"),
    phones: lines.filter((line) => line.startsWith("TEL")).map(valueOf),
  };
}

const contacts = z.object({
  ...envelope,
  contacts: z.array(z.object({ vcard: z.string().startsWith("BEGIN:VCARD") })).min(1),
}).transform((body) => {
  const cards = body.contacts.map(({ vcard }) => readCard(vcard));
  return describe(body, fillContent({ messageType: "contacts", parts: { contacts: cards } }));
});

const list = z.object({
  ...envelope,
  message: z.object({
    title: z.string(),
    description: z.string().optional(),
    footer: z.string().optional(),
    button: nonEmpty,
    sections: z.array(z.object({
      title: z.string(),
      rows: z.array(
        z.object({ title: nonEmpty, rowId: nonEmpty, description: z.string().nullish() }),
      ).min(1),
    })).min(1),
  }),
}).transform((body) => {
  const { title, description, button, sections } = body.message;
  const options = sections.flatMap(({ rows }) => rows).map((row) => ({
    id: row.rowId,
    title: row.title,
    description: row.description ?? null,
  }));
  return describe(
    body,
    fillContent({
      messageType: "option_list",
      text: description ?? null,
      optionList: { title, buttonLabel: button, options },
    }),
  );
});

/** The body of each send, by its path below `/api`. */
export const sendSchemas: Readonly<Record<string, z.ZodType<WahaSend>>> = {
  sendText: text,
  sendImage: fileSend("image"),
  sendVideo: fileSend("video"),
  sendVoice: fileSend("audio"),
  sendSticker: fileSend("sticker"),
  sendFile: fileSend("document"),
  sendLocation: location,
  sendContactVcard: contacts,
  sendList: list,
};

/** A reaction names its message and chat by the full id. */
export const reactionSchema = z.object({
  session: nonEmpty,
  messageId: z.string().regex(/^(?:true|false)_[^_@]+@[^_@]+_[^_]+/, "is no message id"),
  reaction: z.string(),
});

/** A session that signs its webhooks, as the service asks for it. What else it is configured with is kept. */
export const sessionSchema = z.object({
  name: nonEmpty,
  start: z.boolean().optional(),
  config: z.looseObject({
    webhooks: z.array(z.looseObject({
      url: z.url(),
      events: z.array(nonEmpty).min(1),
      hmac: z.object({ key: nonEmpty }).nullish(),
    })),
  }),
});

/** The phone on which a code is typed. */
export const codeRequestSchema = z.object({ phoneNumber: z.string().regex(/^\d{8,15}$/) });
