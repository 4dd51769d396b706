import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";

/** A validated send, in the same form for every path. */
export interface ZapiSend {
  readonly to: string;
  readonly typingMs: number;
  readonly replyTo: string | null;
  readonly content: SimulatedContent;
  /** The sent message whose words it replaces; null for a send. */
  readonly edits: string | null;
}

const nonEmpty = z.string().min(1, "must not be empty");
const optionalText = z.string().optional();
const seconds = z.int().min(0).max(15).optional();
const envelope = {
  phone: z.string().regex(/^\d{8,15}$/, "must be digits with country code"),
  delayMessage: seconds,
  delayTyping: seconds,
  messageId: optionalText,
};
const media = z.string().regex(/^(https?:\/\/|data:)/, "must be a URL or a data URI");

const text = z.object({ ...envelope, message: nonEmpty, editMessageId: optionalText }).transform((
  body,
) => describeSend(body, fillContent({ messageType: "text", text: body.message })));

const picture = { caption: optionalText, viewOnce: z.boolean().optional() };

const image = z.object({ ...envelope, image: media, ...picture }).transform((body) =>
  describeSend(body, describePicture("image", body.image, body))
);

const video = z.object({ ...envelope, video: media, ...picture }).transform((body) =>
  describeSend(body, describePicture("video", body.video, body))
);

function describePicture(
  messageType: "image" | "video",
  mediaUrl: string,
  { caption, viewOnce }: { readonly caption?: string | undefined; viewOnce?: boolean | undefined },
): SimulatedContent {
  const parts = viewOnce === true ? { viewOnce } : {};
  return fillContent({ messageType, mediaUrl, text: caption ?? null, parts });
}

const sticker = z.object({ ...envelope, sticker: media }).transform((body) =>
  describeSend(body, fillContent({ messageType: "sticker", mediaUrl: body.sticker }))
);

const degrees = z.string().regex(/^-?\d{1,3}(\.\d+)?$/, "must be a number as text");

const location = z.object({
  ...envelope,
  title: nonEmpty,
  address: nonEmpty,
  latitude: degrees,
  longitude: degrees,
}).transform((body) => {
  const { title: name, address } = body;
  const place = { latitude: Number(body.latitude), longitude: Number(body.longitude) };
  const parts = { location: { ...place, name, address } };
  return describeSend(body, fillContent({ messageType: "location", parts }));
});

const contacts = z.object({
  ...envelope,
  contacts: z.array(z.object({ name: nonEmpty, phones: z.array(nonEmpty).min(1) })).min(1),
}).transform((body) =>
  describeSend(body, fillContent({ messageType: "contacts", parts: { contacts: body.contacts } }))
);

const buttons = z.array(z.object({ id: optionalText, label: nonEmpty })).min(1);

/** The buttons stand alone, under a picture (`buttonList.image`) or under a video (`buttonList.video`). */
const buttonList = z.object({
  ...envelope,
  message: nonEmpty,
  buttonList: z.object({ image: media.optional(), video: media.optional(), buttons }),
}).transform((body) => {
  const { image, video } = body.buttonList;
  const headerType = image !== undefined ? "image" : video !== undefined ? "video" : undefined;
  const parts = {
    buttons: body.buttonList.buttons.map(({ id, label }, index) => ({
      id: id ?? String(index + 1),
      title: label,
    })),
    ...(headerType === undefined ? {} : { headerType } as const),
  };
  const mediaUrl = image ?? video ?? null;
  const content = { messageType: "buttons", text: body.message, mediaUrl, parts } as const;
  return describeSend(body, fillContent(content));
});

const linkButton = z.object({
  ...envelope,
  message: nonEmpty,
  title: optionalText,
  footer: optionalText,
  buttonActions: z.array(z.object({
    id: optionalText,
    type: z.literal("URL"),
    url: z.url(),
    label: nonEmpty,
  })).length(1),
}).transform((body) => {
  const [{ label, url } = { label: "", url: "" }] = body.buttonActions;
  const parts = { linkButton: { title: label, url } };
  return describeSend(
    body,
    fillContent({ messageType: "link_button", text: body.message, parts }),
  );
});

const pixButton = z.object({
  ...envelope,
  pixKey: nonEmpty,
  type: z.enum(["CPF", "CNPJ", "PHONE", "EMAIL", "EVP"]),
  merchantName: optionalText,
}).transform((body) => {
  const payment = { reference: null, amount: null, items: [], key: body.pixKey };
  return describeSend(body, fillContent({ messageType: "payment_request", parts: { payment } }));
});

const price = z.number().min(0);
const order = z.object({
  ...envelope,
  order: z.object({
    currency: z.literal("BRL"),
    products: z.array(z.object({
      name: nonEmpty,
      value: price,
      quantity: z.int().min(1),
      productId: optionalText,
    })).min(1),
    discount: price.optional(),
    tax: price.optional(),
    shipping: price.optional(),
  }),
  paymentSettings: z.object({
    pix: z.object({
      key: nonEmpty,
      keyType: z.enum(["cpf", "cnpj", "phone", "email", "randomKey"]),
      name: nonEmpty,
    }).optional(),
    card: z.object({ enabled: z.boolean() }).optional(),
  }),
}).transform((body) => {
  const { products, discount = 0, tax = 0, shipping = 0 } = body.order;
  const sum = products.reduce((total, { value, quantity }) => total + value * quantity, 0);
  const payment = {
    reference: null,
    amount: (sum - discount + tax + shipping).toFixed(2),
    items: products.map(({ name, quantity }) => ({ name, quantity })),
    key: body.paymentSettings.pix?.key,
  };
  return describeSend(body, fillContent({ messageType: "payment_request", parts: { payment } }));
});

const audio = z.object({ ...envelope, audio: media }).transform((body) =>
  describeSend(body, fillContent({ messageType: "audio", mediaUrl: body.audio }))
);

const document = z.object({
  ...envelope,
  document: media,
  fileName: optionalText,
  caption: optionalText,
  editDocumentMessageId: optionalText,
}).transform((body) =>
  describeSend(
    body,
    fillContent({
      messageType: "document",
      mediaUrl: body.document,
      fileName: body.fileName ?? null,
      text: body.caption ?? null,
    }),
  )
);

const optionList = z.object({
  ...envelope,
  message: nonEmpty,
  optionList: z.object({
    title: nonEmpty,
    buttonLabel: nonEmpty,
    options: z.array(
      z.object({ title: nonEmpty, description: optionalText, id: optionalText }),
    ).min(1),
  }),
}).transform((body) => {
  const { title, buttonLabel } = body.optionList;
  const options = body.optionList.options.map((option, index) => ({
    id: option.id ?? String(index + 1),
    title: option.title,
    description: option.description || null,
  }));
  const list = { title, buttonLabel, options };
  return describeSend(
    body,
    fillContent({ messageType: "option_list", text: body.message, optionList: list }),
  );
});

const reaction = z.object({ ...envelope, messageId: nonEmpty, reaction: nonEmpty })
  .transform((body) => describeReaction(body, body.reaction));

const removedReaction = z.object({ ...envelope, messageId: nonEmpty })
  .transform((body) => describeReaction(body, null));

function describeReaction(
  body: { readonly phone: string; readonly messageId: string },
  emoji: string | null,
): ZapiSend {
  const parts = { reaction: { providerMessageId: body.messageId, emoji } };
  return describeSend(body, fillContent({ messageType: "reaction", parts }));
}

/** The request schema of each path (Z-API documentation, section "Messages"). */
export const sendSchemas: Readonly<Record<string, z.ZodType<ZapiSend>>> = {
  "/send-text": text,
  "/send-image": image,
  "/send-video": video,
  "/send-audio": audio,
  "/send-document/:extension{[A-Za-z0-9]+}": document,
  "/send-option-list": optionList,
  "/send-sticker": sticker,
  "/send-location": location,
  "/send-contacts": contacts,
  "/send-button-list": buttonList,
  "/send-button-actions": linkButton,
  "/send-button-pix": pixButton,
  "/send-order": order,
  "/send-reaction": reaction,
  "/send-remove-reaction": removedReaction,
};

function describeSend(
  body: {
    readonly phone: string;
    readonly delayTyping?: number | undefined;
    readonly messageId?: string | undefined;
    readonly editMessageId?: string | undefined;
    readonly editDocumentMessageId?: string | undefined;
  },
  content: SimulatedContent,
): ZapiSend {
  return {
    to: body.phone,
    typingMs: (body.delayTyping ?? 0) * 1000,
    replyTo: body.messageId ?? null,
    content,
    edits: body.editMessageId ?? body.editDocumentMessageId ?? null,
  };
}
